/**
 * xterm writes its measures and colours into `<style>` elements and `style` attributes. The page's policy takes no style
 * that is written as text: as long as a terminal is open, the first become sheets of the document, and the second
 * properties, which say the same. Nothing else on the page makes either.
 * @returns {() => void} the end of it
 */
export function strictStyles() {
  /** @type {Set<CSSStyleSheet>} */
  const sheets = new Set();
  const forget = (/** @type {CSSStyleSheet} */ sheet) => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
    sheets.delete(sheet);
  };
  const sheetElement = () => {
    const sheet = new CSSStyleSheet();
    sheets.add(sheet);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    // Not a style: an empty one, too, would be refused.
    const element = make('template');
    Object.defineProperty(element, 'textContent', {
      set: (/** @type {string} */ text) => sheet.replaceSync(text),
    });
    element.remove = () => {
      Element.prototype.remove.call(element);
      forget(sheet);
    };
    return element;
  };
  const make = Document.prototype.createElement.bind(document);
  const createElement = (/** @type {string} */ tag) => {
    if (tag === 'style') return sheetElement();
    const element = make(tag);
    element.setAttribute = setAttribute;
    return element;
  };
  Object.defineProperty(document, 'createElement', { value: createElement, configurable: true });
  return () => {
    if (document.createElement === createElement) Reflect.deleteProperty(document, 'createElement');
    for (const sheet of sheets) forget(sheet);
  };
}

/**
 * @this {HTMLElement}
 * @param {string} name
 * @param {string} value
 */
function setAttribute(name, value) {
  if (name === 'style') this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
}
