"""How a warning reaches its reader: once for each set of lines, at the user's line; under ``strict`` as an error."""
import warnings

from leafward.core.native import call_site
from leafward.core.runtime import runtime
from leafward.errors import SilentGradientError, warn
from leafward.trust.scene import nearest_frame
from leafward.trust.source import position_of

#: What was told, by category and sites: in a loop Python shows one text once.
told = {}


def tell(category, sites, text, always=False):
    """Warn with ``text()`` at the line that is running, once for these ``sites``; raise under ``strict``."""
    found = call_site()
    key = (category, *[None if site is None else (id(site[0]), site[1]) for site in (*sites, found)])
    if runtime.strict or always or key not in told:
        told[key] = text(), sites                           # (the sites keep their code, so that its id stays its own)
    if runtime.strict:
        raise SilentGradientError(told[key][0])
    if found is None:
        warn(told[key][0], category)
        return
    names = nearest_frame().f_globals
    registry = names.setdefault("__warningregistry__", {})
    warnings.warn_explicit(told[key][0], category, found[0].co_filename, position_of(*found)[0],
                           module=names.get("__name__", "<unknown>"), registry=registry)
