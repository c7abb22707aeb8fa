// The text that does not stand out from what is behind it: less than 4.5 : 1, or 3 : 1 where it is large (WCAG 2.2, 1.4.3).
() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const plain = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], [x, y, z]) => [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a)];
  const linear = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const ground = (e) =>
    e === null ? [255, 255, 255] : over(plain(getComputedStyle(e).backgroundColor), ground(e.parentElement));
  const found = [];
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    const seen = e.checkVisibility({ visibilityProperty: true }) && !e.closest("svg, [disabled], .unseen, .skip");
    if (!own || !seen) continue;
    const style = getComputedStyle(e);
    const behind = ground(e);
    const [more, less] = [light(over(plain(style.color), behind)), light(behind)].sort((x, y) => y - x);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const ratio = (more + 0.05) / (less + 0.05);
    if (ratio < (large ? 3 : 4.5)) found.push(`${ratio.toFixed(2)} ${e.tagName}.${e.className}: ${e.textContent.trim().slice(0, 40)}`);
  }
  return found;
}
