// What one can use and what has no name: nobody who hears a page instead of seeing it would know what it is.
() => {
  const useful = "input:not([type=hidden]), select, button, a[href], img, svg[role=img]";
  const named = (e) => e.labels?.length || e.getAttribute("aria-label") || e.textContent.trim() || e.hasAttribute("alt");
  const heard = (e) => e.getAttribute("aria-hidden") !== "true";
  return [...document.querySelectorAll(useful)].filter((e) => heard(e) && !named(e)).map((e) => e.outerHTML.slice(0, 200));
}
