/** RFC 5321, 4.5.3.1.3: a path has at most 256 characters, its angle brackets among them. */
const MAX_ADDRESS_CHARACTERS = 254

/**
 * One address without a name: dot-atoms on both sides (RFC 5322, 3.2.3, with letters of all scripts as in RFC 6531), and a domain
 * with a dot. Quoted names, comments and groups are left out: mailers read other recipients out of them.
 */
const ADDRESS =
  /^(?=[^@]{1,64}@)[\w!#$%&'*+/=?^`{|}~\-\u{a1}-\u{10ffff}]+(\.[\w!#$%&'*+/=?^`{|}~\-\u{a1}-\u{10ffff}]+)*@[\w\-\u{a1}-\u{10ffff}]+(\.[\w\-\u{a1}-\u{10ffff}]+)+$/u

/** Whether a text is an e-mail address that we send to. The one rule, for accounts and contacts alike. */
export const isEmailAddress = (text: string): boolean =>
  text.length <= MAX_ADDRESS_CHARACTERS && ADDRESS.test(text) && !/\s/u.test(text)
