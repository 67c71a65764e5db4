import { withoutFormat } from '../lib/strings.ts'

/** RFC 5321, 4.5.3.1.3 limits an address in angle brackets to 256 characters. */
const MAX_ADDRESS_CHARACTERS = 254

/**
 * An address without a display name: dot-atoms on both sides of the @ (RFC 5322, 3.2.3), with letters of all scripts
 * (RFC 6531), and a dot in the domain. Quoted local parts, comments and groups are rejected, because mailers can read
 * additional recipients from them.
 */
const ADDRESS =
  /^(?=[^@]{1,64}@)[\w!#$%&'*+/=?^`{|}~\-\u{a1}-\u{10ffff}]+(\.[\w!#$%&'*+/=?^`{|}~\-\u{a1}-\u{10ffff}]+)*@[\w\-\u{a1}-\u{10ffff}]+(\.[\w\-\u{a1}-\u{10ffff}]+)+$/u

/**
 * Returns an address as it is stored: without outer spaces and without format characters, which nobody sees and no
 * mailbox has.
 */
export const readEmailAddress = (text: string): string => withoutFormat(text)

/** Returns whether a text is a valid email address of an account or contact. */
export const isEmailAddress = (text: string): boolean =>
  text.length <= MAX_ADDRESS_CHARACTERS && ADDRESS.test(text) && !/[\s\p{Cf}]/u.test(text)
