/** Names of windows-1252 in a Content-Type (WHATWG Encoding, 4.2); browsers and PHP use all of them. */
const CHARSET = /;\s*charset\s*=\s*"?(?:iso-?8859-1|latin-?1|windows-1252|cp1252)"?\s*(?:;|$)/i

/** Returns whether a Content-Type names the character set windows-1252. */
export const isWindows1252 = (contentType: string): boolean => CHARSET.test(contentType)

const decoder = new TextDecoder('windows-1252')

/** Matches a sequence of non-ASCII bytes in a form, percent-encoded or not. */
const BEYOND_ASCII = /(?:%[89a-f][\da-f]|[\u0080-\u00ff])+/gi

/**
 * Converts a body from windows-1252 to UTF-8.
 * @param isForm whether to convert percent-encoded bytes as well
 */
export function decodeWindows1252(bytes: Buffer<ArrayBuffer>, isForm: boolean): Buffer<ArrayBuffer> {
  if (!isForm) return Buffer.from(decoder.decode(bytes))
  return Buffer.from(bytes.toString('latin1').replace(BEYOND_ASCII, encodeAsUtf8))
}

const encodeAsUtf8 = (run: string): string =>
  encodeURIComponent(
    decoder.decode(
      Buffer.from(
        run.replace(/%(..)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
        'latin1',
      ),
    ),
  )
