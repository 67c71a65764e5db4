/** RFC 5321, 4.5.3.1.3: a path has at most 256 characters, its angle brackets among them. */
const MAX_ADDRESS_CHARACTERS = 254

/**
 * An address without a display name: dot-atoms on both sides (RFC 5322, 3.2.3, with letters of all scripts as in RFC 6531), and a domain
 * with a dot. Quoted local parts, comments and groups are excluded, because mailers parse other recipients from them.
 */
const ADDRESS =
  /^(?=[^@]{1,64}@)[\w!#$%&'*+/=?^`{|}~\-\u{a1}-\u{10ffff}]+(\.[\w!#$%&'*+/=?^`{|}~\-\u{a1}-\u{10ffff}]+)*@[\w\-\u{a1}-\u{10ffff}]+(\.[\w\-\u{a1}-\u{10ffff}]+)+$/u

/** Returns whether a text is an e-mail address that the service sends to; the rule for accounts and contacts. */
export const isEmailAddress = (text: string): boolean =>
  text.length <= MAX_ADDRESS_CHARACTERS && ADDRESS.test(text) && !/\s/u.test(text)
