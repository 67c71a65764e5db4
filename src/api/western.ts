/** What a body says that is not in UTF-8: browsers and PHP mean windows-1252 by all of these names (WHATWG Encoding, 4.2). */
const CHARSET = /;\s*charset\s*=\s*"?(?:iso-?8859-1|latin-?1|windows-1252|cp1252)"?\s*(?:;|$)/i

/** Tells whether a Content-Type names the character set of Western European systems. */
export const isWestern = (contentType: string): boolean => CHARSET.test(contentType)

const decoder = new TextDecoder('windows-1252')

/** Characters beyond ASCII as a form writes them: bytes, percent-encoded or not. */
const BEYOND_ASCII = /(?:%[89a-f][\da-f]|[\u0080-\u00ff])+/gi

/**
 * Translates a body from windows-1252 to UTF-8.
 * @param isForm also what is percent-encoded
 */
export function western(bytes: Buffer<ArrayBuffer>, isForm: boolean): Buffer<ArrayBuffer> {
  if (!isForm) return Buffer.from(decoder.decode(bytes))
  return Buffer.from(bytes.toString('latin1').replace(BEYOND_ASCII, translated))
}

const translated = (run: string): string =>
  encodeURIComponent(
    decoder.decode(
      Buffer.from(
        run.replace(/%(..)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
        'latin1',
      ),
    ),
  )
