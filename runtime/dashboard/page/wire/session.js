// The key is this tab's alone, and gone with it: it is in no address, no cookie and nothing that stays.

const NAME = 'berth-key';

/** @returns {string | null} */
export const heldKey = () => sessionStorage.getItem(NAME);

/** @param {string} key */
export const holdKey = (key) => sessionStorage.setItem(NAME, key);

export const forgetKey = () => sessionStorage.removeItem(NAME);
