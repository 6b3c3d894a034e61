// Runs in a page: the texts whose contrast with what they stand on is below 4.5.
(() => {
  const parse = (css) => (css.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = colour.map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3) return colour;
    }
    return [255, 255, 255];
  };
  return [...document.querySelectorAll('body *')].flatMap((element) => {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !element.checkVisibility({ visibilityProperty: true })) return [];
    const lights = [parse(getComputedStyle(element).color), ground(element)].map(luminance);
    const contrast = (Math.max(...lights) + 0.05) / (Math.min(...lights) + 0.05);
    return contrast < 4.5 ? [`${element.className}: ${element.textContent} ${contrast.toFixed(2)}`] : [];
  });
})();
