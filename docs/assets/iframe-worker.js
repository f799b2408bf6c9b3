// A browser starts no worker from file://, so there the search runs in a hidden frame of the page.
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.appendChild(frame)
      this.inner = frame.contentWindow
      this.inner.document.open()
      this.inner.document.write("<!doctype html><body>")
      this.inner.document.close()
      const load = address => new Promise((loaded, failed) => {
        const script = this.inner.document.createElement("script")
        Object.assign(script, {src: address, onload: loaded, onerror: failed})
        this.inner.document.body.appendChild(script)
      })
      // What the script in the frame calls to answer, and to load others.
      this.inner.postMessage = data => this.dispatchEvent(new MessageEvent("message", {data}))
      this.inner.importScripts = (...addresses) => addresses.reduce((before, each) => before.then(() => load(each)), Promise.resolve())
      this.ready = load(new URL(url, location.href).href)
    }
    postMessage(data) {
      this.ready.then(() => this.inner.dispatchEvent(new this.inner.MessageEvent("message", {data})))
    }
    set onmessage(listener) { this.addEventListener("message", listener) }
    set onerror(listener) { this.ready.catch(listener) }
    terminate() { this.inner.frameElement.remove() }
  }
