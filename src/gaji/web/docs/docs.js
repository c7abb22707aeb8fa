// The parts of the API reference that need a script: search, buttons to copy, and requests with your own key.
"use strict";

const KEY = "gaji_docs_key";

function element(tag, properties = {}, ...children) {
  const created = Object.assign(document.createElement(tag), properties);
  created.append(...children);
  return created;
}

// Search

function score(entry, words) {
  const title = entry.title.toLowerCase();
  const text = `${title} ${(entry.method || "").toLowerCase()} ${entry.text.toLowerCase()}`;
  if (!words.every((word) => text.includes(word))) return 0;
  return words.reduce((sum, word) => sum + (title.startsWith(word) ? 4 : title.includes(word) ? 2 : 1), 0);
}

function setUpSearch(box) {
  const input = box.querySelector("input");
  const results = box.querySelector("ul");
  let entries = null;
  box.hidden = false;

  async function load() {
    entries ??= fetch("/docs/search.json").then((response) => response.json());
    return entries;
  }

  async function show() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length ? (await load()).map((entry) => [score(entry, words), entry]) : [];
    const best = found.filter(([points]) => points).sort(([a], [b]) => b - a).slice(0, 12);
    results.replaceChildren(...best.map(([, entry]) => {
      const link = element("a", { href: entry.url }, element("span", { textContent: entry.title }));
      if (entry.method) link.prepend(element("span", { className: `method ${entry.method.toLowerCase()}`, textContent: entry.method }), " ");
      return element("li", {}, link);
    }));
    if (words.length && !best.length) results.append(element("li", { className: "none", textContent: "Nothing found" }));
    results.hidden = !words.length;
  }

  input.addEventListener("input", show);
  input.addEventListener("focus", load, { once: true });
  box.addEventListener("keydown", (event) => {
    const links = [...results.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (event.key === "Escape") { input.value = ""; show(); input.focus(); }
    else if (event.key === "ArrowDown" && links.length) { event.preventDefault(); links[Math.min(at + 1, links.length - 1)].focus(); }
    else if (event.key === "ArrowUp" && at >= 0) { event.preventDefault(); (links[at - 1] || input).focus(); }
    else if (event.key === "Enter" && event.target === input && links.length) links[0].click();
  });
  results.addEventListener("click", () => { results.hidden = true; });
  document.addEventListener("click", (event) => { if (!box.contains(event.target)) results.hidden = true; });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) { event.preventDefault(); input.focus(); }
  });
}

// Copy. Browsers have no clipboard for pages of another host without HTTPS.

function setUpCopy(figure) {
  const button = element("button", { type: "button", className: "copy", textContent: "Copy" });
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(figure.querySelector("pre").textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  figure.querySelector("figcaption").append(button);
}

// Try it

function labelled(text, input) {
  return element("label", {}, element("span", { textContent: text }), input);
}

function setUpTrial(article) {
  const { method, path } = article.dataset;
  const names = [...path.matchAll(/{(\w+)}/g)].map((match) => match[1]);
  const key = element("input", { type: "password", autocomplete: "off", placeholder: "gaji_…", required: true });
  const inputs = names.map((name) => element("input", { required: true, autocomplete: "off" }));
  const query = element("input", { autocomplete: "off", placeholder: "page=1&per_page=10" });
  const template = article.querySelector("template.body");
  const body = template && element("textarea", { rows: 8, spellcheck: false, value: template.content.textContent.trim() });
  const output = element("pre", { tabIndex: 0, hidden: true });
  output.setAttribute("aria-live", "polite");
  const form = element("form", { className: "trial" },
    labelled("API key", key), ...names.map((name, index) => labelled(name, inputs[index])), labelled("Query", query),
    ...(body ? [labelled("Body", body)] : []),
    element("button", { textContent: method === "GET" ? "Send" : `Send ${method}` }), output);

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    sessionStorage.setItem(KEY, key.value);
    const filled = names.reduce((text, name, index) => text.replace(`{${name}}`, encodeURIComponent(inputs[index].value)), path);
    output.hidden = false;
    output.textContent = "…";
    try {
      const response = await fetch(filled + (query.value ? `?${query.value.replace(/^\?/, "")}` : ""), {
        method, credentials: "omit", headers: { Authorization: key.value, ...(body ? { "Content-Type": "application/json" } : {}) },
        body: body ? body.value : undefined,
      });
      output.textContent = `${response.status} ${response.statusText}\n\n${await describe(response)}`;
    } catch (error) {
      output.textContent = `The request failed: ${error.message}`;
    }
  });

  const details = element("details", { className: "try" }, element("summary", { textContent: "Try it" }), form);
  details.addEventListener("toggle", () => { key.value ||= sessionStorage.getItem(KEY) || ""; });
  article.querySelector(".code").append(details);
}

async function describe(response) {
  const type = response.headers.get("content-type") || "";
  if (!/json/.test(type)) return `${type || "no body"}, ${(await response.blob()).size} bytes`;
  const text = await response.text();
  return text ? JSON.stringify(JSON.parse(text), null, 2) : "";
}

setUpSearch(document.querySelector(".search"));
if (navigator.clipboard) document.querySelectorAll("figure").forEach(setUpCopy);
document.querySelectorAll("article[data-method]").forEach(setUpTrial);

// Links of earlier versions had all operations on one page.
if (location.pathname === "/docs" && location.hash && !document.getElementById(location.hash.slice(1))) {
  const link = [...document.querySelectorAll("#operations a")].find((a) => a.hash === location.hash);
  if (link) location.replace(link.href);
}
