// The page of a graph. Data comes from the element `data`.
(() => {
  const DATA = JSON.parse(document.getElementById("data").textContent);
  const ROW = 30, MOST_AT_FIRST = 120;
  const by = id => document.getElementById(id);
  const items = new WeakMap();                          // the element of a row -> its node's number, or its fold
  let graph, rows, shown, chosen, open, hits, at;       // of the graph that is shown now

  // -- the tree of rows: a row is a node (by number) or a fold; `open` holds the folds that are open ---------------------

  function load(number) {
    graph = DATA.graphs[number];
    open = new Set(); chosen = null; hits = null;
    graph.parents = new Map();                          // node number or fold -> the fold around it
    const visit = (part, parent) => {
      graph.parents.set(part, parent);
      if (typeof part === "object") {
        part.bytes = 0; part.bad = false; part.cut = false;
        for (let row = part.first; row <= part.last; row++) {
          const node = graph.nodes[row];
          part.bytes += node.bytes;
          part.bad = part.bad || isBad(node);
          part.cut = part.cut || hides(node);
        }
        part.parts.forEach(inner => visit(inner, part));
      }
    };
    graph.folds.forEach(part => visit(part, null));
    openAtFirst();
    head(); source(); storages(); tree(); details(null);
  }

  const hides = node => node.cuts.some(number => graph.cuts[number].hidden.length);
  const isBad = node => node["not finite"] !== "" || node.saved.some(value => value.state === "stale" || value.state === "outside");

  function openAtFirst() {
    let count = graph.folds.length, waiting = graph.folds.filter(part => typeof part === "object");
    while (waiting.length) {
      const next = [];
      for (const fold of waiting) {
        if (count + fold.parts.length > MOST_AT_FIRST) continue;
        open.add(fold); count += fold.parts.length;
        next.push(...fold.parts.filter(part => typeof part === "object"));
      }
      waiting = next;
    }
  }

  function visible() {
    const found = [];
    const visit = (parts, level) => parts.forEach((part, position) => {
      found.push({part, level, position: position + 1, of: parts.length});
      if (typeof part === "object" && open.has(part)) visit(part.parts, level + 1);
    });
    visit(graph.folds, 1);
    return found;
  }

  // -- the head ----------------------------------------------------------------------------------------------------------

  function head() {
    const counts = graph.counts;
    by("title").replaceChildren(make("code", {}, graph.title), " ", make("code", {class: "key"}, graph.type + (graph.value ? " = " + graph.value : "")));
    const facts = [
      [plural(counts.nodes, "node")], [bytes(counts.bytes) + " kept"], [plural(counts.leaves, "leaf").replace("leafs", "leaves")],
      counts["left out"] ? ["the last " + plural(counts["left out"], "node") + " not shown"] : null,
      counts.freed ? ["freed by an earlier backward()"] : null,
      counts.cuts ? [plural(counts.cuts, "cut"), "cut"] : null,
      counts.hazards ? [plural(counts.hazards, "overwritten value"), "bad"] : null,
      counts["not finite"] ? [plural(counts["not finite"], "node") + " with NaN or inf", "bad"] : null,
    ].filter(Boolean);
    by("facts").replaceChildren(...facts.map(([text, kind]) => make("span", {class: kind}, text)));
    findings();
  }

  function findings() {
    const stories = [...DATA.findings, ...(graph.story ? [graph.story] : [])];
    by("findings").hidden = !stories.length;
    by("stories").replaceChildren(...stories.map((text, number) => {
      const [first, ...rest] = text.trim().split("\n");
      return make("details", number ? {} : {open: ""}, make("summary", {}, first), make("pre", {}, ...rest.join("\n").replace(/^\n+/, "").split("\n").map(columns)));
    }));
  }

  // A line of a story: three spaces or more part its columns, which a narrow window puts one below the other.
  function columns(line) {
    const pieces = line.split(/( {3,})/).filter(Boolean), label = /^ {0,2}\S.*? {3}/.test(line);
    return make("span", {class: "row"}, ...pieces.map((piece, number) => make("span", {
      class: !piece.trim() ? "space" : /^\^+$/.test(piece) ? "carets" : label && !number ? "label" : "part"}, piece)));
  }

  // -- source ------------------------------------------------------------------------------------------------------------

  const lineKey = place => place.file + ":" + place.line;

  function source() {
    graph.lines = new Map();                            // "file:line" -> {element, nodes, ...}
    const about = key => {
      if (!graph.lines.has(key)) graph.lines.set(key, {nodes: [], bytes: 0, writes: 0, late: false, cuts: 0, storages: new Set()});
      return graph.lines.get(key);
    };
    graph.nodes.forEach((node, row) => {
      if (node.place === null) return;
      const line = about(lineKey(graph.places[node.place]));
      line.nodes.push(row); line.bytes += node.bytes;
      node.saved.forEach(value => value.storage !== null && line.storages.add(value.storage));
    });
    graph.storages.forEach(storage => storage.events.forEach(event => {
      if (event.kind !== "write" || event.place === null) return;
      const line = about(lineKey(graph.places[event.place]));
      line.writes++; line.late = line.late || event.late;
    }));
    graph.cuts.forEach(cut => { if (cut.place !== null && cut.hidden.length) about(lineKey(graph.places[cut.place])).cuts++; });
    const most = Math.max(1, ...[...graph.lines.values()].map(line => line.bytes));
    const code = by("code");
    code.replaceChildren();
    graph.files.forEach((file, number) => {
      code.append(make("h3", {}, file.name));
      file.lines.forEach(line => {
        if (line === null) { code.append(make("div", {class: "gap"}, "⋯")); return; }
        const [no, text] = line, key = number + ":" + no, has = graph.lines.get(key);
        const heat = make("span", {class: "heat"});
        if (has && has.bytes) {
          const bar = make("i", {title: bytes(has.bytes) + " kept by this line"});
          bar.style.setProperty("width", Math.max(4, 100 * has.bytes / most) + "%");
          heat.append(bar);
        }
        const marks = make("span", {class: "marks"});
        if (has) {
          if (has.writes) marks.append(make("span", {class: "flag " + (has.late ? "bad" : "calm")}, has.late ? "✎ too late" : "✎ write"));
          if (has.cuts) marks.append(" ", make("span", {class: "flag cut"}, "✂ cut"));
        }
        const used = has && has.nodes.length > 0;
        const element = make("div", {class: "line" + (used ? " used" : "") + (has && has.late ? " spoilt" : ""), "data-key": key,
          tabindex: used ? 0 : null, role: used ? "button" : null,
          "aria-label": used ? "line " + no + ", " + plural(has.nodes.length, "node") + (has.bytes ? ", keeps " + bytes(has.bytes) : "") + ": " + text.trim() : null},
          make("span", {class: "no"}, String(no)), heat, make("span", {class: "text"}, ...coloured(text)), marks);
        if (has) { has.element = element; has.text = text; }
        code.append(element);
      });
    });
    if (!graph.files.length) code.append(make("p", {class: "empty"}, "The source is not at hand."));
  }

  // -- the graph ---------------------------------------------------------------------------------------------------------

  function flagsOf(node) {
    const found = [];
    if (node["not finite"]) found.push(["bad", "!", node["not finite"] === "value" ? "NaN or inf" : "NaN or inf in gradient"]);
    if (node.saved.some(value => value.state === "stale")) found.push(["bad", "✎", "overwritten"]);
    if (node.saved.some(value => value.state === "outside")) found.push(["bad", "✎", "written outside"]);
    if (node.cuts.length) found.push([hides(node) ? "cut" : "calm", "✂", "cut"]);
    if (node.hooks) found.push(["calm", "↪", plural(node.hooks, "hook")]);
    return found;
  }

  function spoken(node) {
    const place = node.place === null ? null : graph.places[node.place];
    return [node.op + (node.name ? " giving " + node.name : ""), node.type, place && place.where, node.bytes ? "keeps " + bytes(node.bytes) : "keeps nothing",
      ...node.leaves.map(leaf => "takes " + graph.leaves[leaf].name), ...flagsOf(node).map(([, , text]) => text)].filter(Boolean).join(", ");
  }

  function dots(node) {
    const numbers = [...new Set(node.saved.filter(value => value.storage !== null).map(value => value.storage))];
    return numbers.slice(0, 3).map(number => make("span", {class: "dot", hue: hue(number), title: graph.storages[number].name}));
  }

  function nodeRow({part, level, position, of}) {
    const isFold = typeof part === "object", isOpen = isFold && open.has(part);
    const element = make("div", {role: "treeitem", class: "node" + (isFold ? " fold" : ""), tabindex: -1, "aria-level": level, "aria-posinset": position,
      "aria-setsize": of, "aria-expanded": isFold ? String(isOpen) : null, "aria-selected": "false"});
    items.set(element, part);
    if (isFold) {
      const count = part.last - part.first + 1;
      fill(element, make("span", {class: "sign", "aria-hidden": "true"}, isOpen ? "▾" : "▸"), make("span", {class: "op"}, part.label),
        make("span", {class: "type"}, [part.class, plural(count, "node")].filter(Boolean).join(" · ")), make("span", {class: "rest"}),
        make("span", {class: "flags"}, ...[part.bad && !isOpen ? make("span", {class: "flag bad"}, "look inside") : null,
          part.cut && !isOpen ? make("span", {class: "flag cut"}, "✂") : null].filter(Boolean)),
        make("span", {class: "kept"}, isOpen ? "" : bytes(part.bytes)), make("span", {class: "dots"}), make("span", {class: "where"}));
      element.setAttribute("aria-label", [part.label, part.class, plural(count, "node"), "keeps " + bytes(part.bytes), part.bad ? "something is wrong inside" : ""].filter(Boolean).join(", "));
    } else {
      const node = graph.nodes[part], place = node.place === null ? null : graph.places[node.place];
      const around = graph.parents.get(part), inside = around ? around.path + "." : "";
      const short = name => inside.length > 1 && name.startsWith(inside) ? name.slice(inside.length) : name;
      fill(element, make("span", {class: "sign"}), make("span", {class: "op"}, node.op),
        node.name ? make("code", {class: "name"}, node.name) : null, make("code", {class: "type"}, node.type),
        make("span", {class: "chips"}, node.part ? make("span", {class: "chip"}, node.part) : null, ...node.leaves.slice(0, 3).map(leaf => make("span", {class: "chip"}, short(graph.leaves[leaf].name))),
          node.leaves.length > 3 ? make("span", {class: "chip"}, "+" + (node.leaves.length - 3)) : ""),
        make("span", {class: "rest"}), make("span", {class: "flags"}, ...flagsOf(node).map(([kind, sign, text]) => make("span", {class: "flag " + kind}, sign, make("span", {class: "long"}, " " + text)))),
        make("span", {class: "kept"}, node.bytes ? bytes(node.bytes) : ""), make("span", {class: "dots"}, ...dots(node)),
        make("code", {class: "where"}, place ? place.where : ""));
      element.setAttribute("aria-label", spoken(node));
    }
    return element;
  }

  function tree() {
    shown = visible();
    at = new Array(graph.nodes.length);
    shown.forEach(({part}, index) => {
      if (typeof part === "number") at[part] = index;
      else if (!open.has(part)) for (let row = part.first; row <= part.last; row++) at[row] = index;
    });
    const step = Math.max(2, Math.min(15, 150 / Math.max(1, graph.lanes)));
    const x = lane => 14 + lane * step, width = Math.min(180, 22 + graph.lanes * step);
    const lane = index => { const part = shown[index].part; return graph.nodes[typeof part === "object" ? part.first : part].lane; };
    const holder = by("tree"), list = document.createDocumentFragment();
    rows = shown.map(item => {
      const element = nodeRow(item);
      element.style.setProperty("padding-left", width + Math.min(6, item.level - 1) * 11 + "px");
      list.append(element);
      return element;
    });
    const svg = draw("svg", {id: "lanes", width, height: ROW * shown.length, "aria-hidden": "true"});
    const y = index => ROW * index + ROW / 2, seen = new Map();
    graph.paths = [];
    graph.edges.forEach(([from, to, number, bad]) => {
      const a = at[from], b = at[to];
      if (a === b) return;
      const key = a + " " + b;
      if (seen.has(key)) { if (bad) seen.get(key).classList.add("bad"); return; }
      const [x0, xl, x1] = [x(lane(a)), x(number), x(lane(b))], h = ROW * .8;
      const path = b - a === 1 ? `M${x0},${y(a)}C${x0},${y(a) + h / 2} ${x1},${y(b) - h / 2} ${x1},${y(b)}`
        : `M${x0},${y(a)}C${x0},${y(a) + h / 2} ${xl},${y(a) + h / 2} ${xl},${y(a) + h}V${y(b) - h}C${xl},${y(b) - h / 2} ${x1},${y(b) - h / 2} ${x1},${y(b)}`;
      const element = draw("path", {d: path});
      if (bad) element.classList.add("bad");
      seen.set(key, element);
      graph.paths.push([element, a, b]);
      svg.append(element);
    });
    graph.marks = shown.map(({part}, index) => {
      if (typeof part === "object" && open.has(part)) return null;
      const mark = typeof part === "object" ? draw("rect", {x: x(lane(index)) - 5, y: y(index) - 5, width: 10, height: 10, rx: 3})
        : draw("circle", {cx: x(lane(index)), cy: y(index), r: 4.5});
      if (typeof part === "object" ? part.bad : isBad(graph.nodes[part])) mark.classList.add("bad");
      svg.append(mark);
      return mark;
    });
    holder.replaceChildren(svg, list);
    markHits();
    select(chosen !== null && graph.parents.has(chosen) ? chosen : null, false);
  }

  const indexOf = part => shown.findIndex(item => item.part === part);

  function toggle(fold, wanted) {
    if (wanted === undefined ? open.has(fold) : !wanted) open.delete(fold); else open.add(fold);
    tree();
    focusRow(indexOf(fold));
  }

  function focusRow(index) {
    if (index < 0 || index >= rows.length) return;
    rows.forEach(row => row.tabIndex = -1);
    rows[index].tabIndex = 0;
    rows[index].focus({preventScroll: true});
    rows[index].scrollIntoView({block: "nearest"});
  }

  /** Choose a node or a fold: its row, its edges, its line, its storages. */
  function select(part, move) {
    chosen = part;
    const index = part === null ? -1 : indexOf(part);
    rows.forEach((row, number) => { row.setAttribute("aria-selected", String(number === index)); row.tabIndex = number === Math.max(0, index) ? 0 : -1; });
    graph.paths.forEach(([element, a, b]) => element.classList.toggle("near", a === index || b === index));
    graph.marks.forEach((mark, number) => mark && mark.classList.toggle("chosen", number === index));
    for (const element of document.querySelectorAll(".line.chosen, .storage.lit")) element.classList.remove("chosen", "lit");
    for (const element of document.querySelectorAll(".line u")) element.replaceWith(...element.childNodes);
    if (part === null) return;
    if (move) details(part);
    if (typeof part !== "number") return;
    const node = graph.nodes[part];
    node.saved.forEach(value => value.storage !== null && graph.storages[value.storage].element && graph.storages[value.storage].element.classList.add("lit"));
    if (node.place !== null) showLine(graph.places[node.place], move);
  }

  function showLine(place, move) {
    const line = graph.lines.get(lineKey(place));
    if (!line || !line.element) return;
    line.element.classList.add("chosen");
    const text = line.element.querySelector(".text"), [start, end] = place.columns;
    if (end > start) text.replaceChildren(...coloured(line.text.slice(0, start)), make("u", {}, ...coloured(line.text.slice(start, end))), ...coloured(line.text.slice(end)));
    if (move) within(by("code").parentElement, line.element);
  }

  /** Scroll a panel, and only it, until an element is in sight. */
  function within(panel, element) {
    const outer = panel.getBoundingClientRect(), inner = element.getBoundingClientRect();
    if (inner.top < outer.top + 30) panel.scrollTop += inner.top - outer.top - outer.height / 3;
    if (inner.bottom > outer.bottom - 10) panel.scrollTop += inner.bottom - outer.bottom + outer.height / 3;
  }

  function reveal(row) {
    let fold = graph.parents.get(row), changed = false;
    for (; fold; fold = graph.parents.get(fold)) if (!open.has(fold)) { open.add(fold); changed = true; }
    if (changed) tree();
    select(row, true);
    within(by("tree").parentElement, rows[indexOf(row)]);
  }

  // -- details -----------------------------------------------------------------------------------------------------------

  const STATES = {stale: "overwritten after it was saved", outside: "written outside leafward after it was saved", restored: "overwritten, and the same again"};

  function entry(name, ...content) { return content.length ? [make("dt", {}, name), make("dd", {}, ...content)] : []; }
  function go(row) {
    const node = graph.nodes[row];
    return make("button", {class: "go", onclick: () => { reveal(row); focusRow(indexOf(row)); }}, node.op + (node.name ? " " + node.name : ""));
  }
  function listed(items) { return make("ul", {}, ...items.map(item => make("li", {}, ...item))); }
  function line(number) {
    const place = number === null ? null : graph.places[number];
    return place === null ? "" : make("button", {class: "go code", onclick: () => { select(null); showLine(place, true); }}, place.where);
  }

  function details(part) {
    const about = by("about");
    if (part === null) {
      about.replaceChildren(make("p", {class: "empty"}, "Choose a node, or a line of the source. ", make("span", {class: "key"}, "↑ ↓ move, ← → fold, Enter chooses, / searches")));
      return;
    }
    if (typeof part === "object") {
      about.replaceChildren(make("h3", {}, part.label), make("dl", {}, ...entry("module", part.class || "rows of one kind"), ...entry("nodes", String(part.last - part.first + 1)),
        ...entry("keeps", bytes(part.bytes))), make("button", {onclick: () => toggle(part)}, open.has(part) ? "Fold" : "Unfold"));
      return;
    }
    const node = graph.nodes[part], place = node.place === null ? null : graph.places[node.place];
    const next = graph.edges.filter(([from]) => from === part), from = graph.edges.filter(([, to]) => to === part);
    const saved = node.saved.map(value => [
      value.storage === null ? null : make("span", {class: "dot", hue: hue(value.storage), title: graph.storages[value.storage].name}),
      make("span", {}, value.what), make("code", {}, value.type), make("span", {class: "key"}, bytes(value.bytes) + (value.parameter ? ", in memory anyway" : value.packed ? ", packed by a hook" : "")),
      STATES[value.state] ? make("span", {class: "flag " + (value.state === "restored" ? "calm" : "bad")}, STATES[value.state]) : null].filter(Boolean));
    const told = (words, names) => names.length ? [[make("span", {class: "key"}, words), ...names.slice(0, 12).map(name => make("span", {class: "chip"}, name)),
      names.length > 12 ? "and " + (names.length - 12) + " more" : ""]] : [];
    const cuts = node.cuts.flatMap(number => {
      const cut = graph.cuts[number];
      return [...entry("✂ cut", listed([...cut.rows.map(([, text, where, note]) => [make("code", {}, text), make("span", {class: "key"}, [where, note].filter(Boolean).join(": "))]),
        ...told("no gradient comes to", cut.hidden), ...told("gradients come on other ways to", cut.reached)])),
        ...(cut.repairs.length ? entry("instead", listed(cut.repairs.map(([where, code, when]) => [make("code", {class: "fix"}, code), make("span", {class: "key"}, when)]))) : [])];
    });
    const bad = node.saved.flatMap(value => value.storage === null || value.state !== "stale" ? [] : graph.storages[value.storage].events.filter(event => event.late));
    about.replaceChildren(make("h3", {}, node.op, " ", node.name ? make("code", {}, node.name) : ""),
      make("dl", {}, ...entry("gives", make("code", {}, node.type)),
        ...(place ? entry("line", line(node.place), " ", make("span", {class: "key"}, place.in)) : []),
        ...entry("node", make("code", {}, node.class)), ...(node.path.length ? entry("module", make("code", {}, node.path.join("."))) : []),
        ...entry("keeps", node.freed ? "freed by an earlier backward()" : saved.length ? listed(saved) : "nothing"),
        ...(bad.length ? entry("changed by", listed(bad.map(event => [make("span", {class: "flag bad"}, "✎ " + event.op), line(event.place), make("span", {class: "key"}, event.through ? "through " + event.through : "")]))) : []),
        ...(node["not finite"] ? entry("NaN or inf", make("span", {class: "flag bad"}, node["not finite"] === "value" ? "in what it keeps" : "in the gradient that it sends on")) : []),
        ...cuts,
        ...(node.leaves.length ? entry("takes", listed(node.leaves.map(number => {
          const leaf = graph.leaves[number];
          return [make("code", {}, leaf.name), make("code", {class: "key"}, leaf.type), make("span", {class: "key"}, leaf.grad ? "has a .grad" : ".grad is None"), leaf["grad finite"] ? null : make("span", {class: "flag bad"}, ".grad has NaN or inf")].filter(Boolean);
        }))) : []),
        ...(from.length ? entry("gets from", listed(from.slice(0, 20).map(([row]) => [go(row)]))) : []),
        ...(next.length ? entry("sends to", listed(next.slice(0, 20).map(([, row]) => [go(row)]))) : [])));
  }

  // -- storages ----------------------------------------------------------------------------------------------------------

  function storages() {
    const order = graph.storages.map((storage, number) => number).filter(number => graph.storages[number].events.length)
      .sort((a, b) => graph.storages[b].hazard - graph.storages[a].hazard || graph.storages[b].bytes - graph.storages[a].bytes);
    const holder = by("timelines");
    holder.replaceChildren(...order.slice(0, 200).map(number => {
      const storage = graph.storages[number];
      const events = storage.events.map(event => {
        const save = event.kind === "save", where = event.place === null ? "" : graph.places[event.place].where;
        const said = save ? "saved by " + event.op + ", " + event.what + " " + event.type : "written by " + event.op + (event.late ? ", after it was saved" : "") +
          (event.unseen ? ", which PyTorch does not see" : "") + (event.through ? ", through " + event.through : "");
        return make("button", {class: "event " + event.kind + (event.late ? " late" : ""), title: said + (where ? "\n" + where : ""), "aria-label": said + ", " + where,
          onclick: () => { if (save && event.row !== null) reveal(event.row); else if (event.place !== null) { select(null); showLine(graph.places[event.place], true); } }}, save ? "●" : "✎");
      });
      storage.element = make("div", {class: "storage", hue: hue(number), role: "group", "aria-label": storage.name + ", " + bytes(storage.bytes)},
        make("span", {class: "who"}, make("span", {class: "dot", hue: hue(number)}), make("code", {title: storage.name}, storage.name)),
        make("span", {class: "size"}, bytes(storage.bytes)),
        make("span", {class: "events"}, ...events, storage.more ? make("span", {class: "key"}, "and " + storage.more + " more") : "",
          ...storage.escaped.map(text => make("span", {class: "flag calm"}, "also seen by " + text)), storage.outside ? make("span", {class: "flag bad"}, "written outside leafward") : ""));
      return storage.element;
    }));
    if (order.length > 200) holder.append(make("p", {class: "empty"}, "and " + plural(order.length - 200, "smaller storage")));
    if (!order.length) holder.append(make("p", {class: "empty"}, graph.counts.freed ? "What was kept is freed." : "Nothing is kept."));
  }

  // -- search ------------------------------------------------------------------------------------------------------------

  function search(text) {
    text = text.trim().toLowerCase();
    hits = null;
    if (text) {
      hits = [];
      graph.nodes.forEach((node, row) => {
        const place = node.place === null ? "" : graph.places[node.place].where;
        const words = [node.op, node.class, node.name, node.type, node.path.join("."), place, ...node.leaves.map(leaf => graph.leaves[leaf].name)].join("\n").toLowerCase();
        if (words.includes(text)) hits.push(row);
      });
    }
    markHits();
    by("found").textContent = hits === null ? "" : hits.length ? plural(hits.length, "node") : "none";
  }

  function markHits() {
    const found = hits === null ? null : new Set(hits.map(row => at[row]));
    rows.forEach((row, index) => row.classList.toggle("missed", found !== null && !found.has(index) && !(typeof shown[index].part === "object" && open.has(shown[index].part))));
  }

  function nextHit(step) {
    if (!hits || !hits.length) return;
    const now = hits.indexOf(chosen);
    const next = hits[(now + step + hits.length) % hits.length];
    reveal(next);
    by("found").textContent = (hits.indexOf(next) + 1) + " of " + plural(hits.length, "node");
  }

  // -- what the user does ------------------------------------------------------------------------------------------------

  function rowOf(event) { return event.target.closest(".node"); }

  by("tree").addEventListener("click", event => {
    const row = rowOf(event);
    if (!row) return;
    if (typeof items.get(row) === "object") { toggle(items.get(row)); details(items.get(row)); select(items.get(row), true); }
    else { select(items.get(row), true); row.focus({preventScroll: true}); }
  });
  by("tree").addEventListener("keydown", event => {
    const row = rowOf(event);
    if (!row) return;
    const index = rows.indexOf(row), part = items.get(row), isFold = typeof part === "object";
    const moves = {ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: rows.length - 1};
    if (event.key in moves) focusRow(moves[event.key]);
    else if (event.key === "ArrowRight") { if (isFold && !open.has(part)) toggle(part, true); else if (isFold) focusRow(index + 1); }
    else if (event.key === "ArrowLeft") { if (isFold && open.has(part)) toggle(part, false); else if (graph.parents.get(part)) focusRow(indexOf(graph.parents.get(part))); }
    else if (event.key === "Enter" || event.key === " ") { if (isFold) toggle(part); else select(part, true); }
    else return;
    event.preventDefault();
  });
  by("tree").addEventListener("pointerover", event => {
    const row = rowOf(event);
    clearLit();
    if (!row || typeof items.get(row) === "object") return;
    const node = graph.nodes[items.get(row)], line = node.place === null ? null : graph.lines.get(lineKey(graph.places[node.place]));
    if (line && line.element) line.element.classList.add("lit");
  });
  by("tree").addEventListener("pointerleave", clearLit);
  function clearLit() { for (const element of document.querySelectorAll(".line.lit, .node.lit")) element.classList.remove("lit"); }
  function linesNodes(element) { const line = element && graph.lines.get(element.dataset.key); return line ? line.nodes : []; }
  by("code").addEventListener("pointerover", event => {
    clearLit();
    linesNodes(event.target.closest(".line")).forEach(row => rows[at[row]] && rows[at[row]].classList.add("lit"));
  });
  by("code").addEventListener("pointerleave", clearLit);
  function chooseLine(element) {
    const nodes = linesNodes(element);
    if (nodes.length) reveal(nodes[(nodes.indexOf(chosen) + 1) % nodes.length]);
  }
  by("code").addEventListener("click", event => chooseLine(event.target.closest(".line")));
  by("code").addEventListener("keydown", event => {
    if (event.key === "Enter" || event.key === " ") { chooseLine(event.target.closest(".line")); event.preventDefault(); }
  });
  by("search").addEventListener("input", event => search(event.target.value));
  by("search").addEventListener("keydown", event => {
    if (event.key === "Enter") nextHit(event.shiftKey ? -1 : 1);
    if (event.key === "Escape") { event.target.value = ""; search(""); }
  });
  document.addEventListener("keydown", event => {
    if (event.key === "/" && event.target.tagName !== "INPUT") { by("search").focus(); event.preventDefault(); }
  });
  by("fold").addEventListener("click", () => { open.clear(); tree(); });
  by("unfold").addEventListener("click", () => { for (const part of graph.parents.keys()) if (typeof part === "object") open.add(part); tree(); });
  by("which").hidden = DATA.graphs.length < 2;
  by("which").append(...DATA.graphs.map((one, number) => make("option", {value: number}, one.title + (one.asked ? " at " + one.asked : ""))));
  by("which").addEventListener("change", event => load(Number(event.target.value)));
  if (DATA.graphs.length) load(0);
  else {
    graph = {story: null};
    findings();
    by("title").textContent = "nothing: no backward() ran";
    document.querySelector("main").hidden = document.querySelector(".tools").hidden = true;
  }
  document.documentElement.dataset.ready = "yes";
})();
