/** RFC 5321, 4.5.3.1.3: a path has at most 256 characters, its angle brackets among them. */
const LONGEST = 254

/** One address without a name: no spaces, quotes or brackets, and a domain with a dot. Rarer forms of RFC 5321 are left out. */
const ADDRESS = /^[^\s@<>"]{1,64}@[^\s@<>".]+(\.[^\s@<>".]+)+$/

/** Whether a text is an e-mail address that we send to. The one rule, for accounts and contacts alike. */
export const isEmailAddress = (text: string): boolean => text.length <= LONGEST && ADDRESS.test(text)
