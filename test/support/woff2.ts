import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { brotliCompressSync } from 'node:zlib'

const KNOWN =
  'cmap head hhea hmtx maxp name OS/2 post cvt  fpgm glyf loca prep CFF  VORG EBDT EBLC gasp hdmx kern LTSH PCLT VDMX vhea vmtx BASE GDEF GPOS GSUB EBSC JSTF MATH CBDT CBLC COLR CPAL SVG  sbix acnt avar bdat bloc bsln cvar fdsc feat fmtx fvar'.match(
    /.{4}(?= |$)/g,
  )!

/** Returns a TrueType font as WOFF2, without transformed tables. */
export function woff2(ttf: Buffer): Buffer {
  const tables = Array.from({ length: ttf.readUInt16BE(4) }, (_, index) => {
    const entry = ttf.subarray(12 + 16 * index)
    const [offset, length] = [entry.readUInt32BE(8), entry.readUInt32BE(12)]
    return { tag: entry.toString('latin1', 0, 4), bytes: ttf.subarray(offset, offset + length) }
  })
  const directory = Buffer.concat(
    tables.map(({ tag, bytes }) => {
      const known = KNOWN.indexOf(tag)
      const version = tag === 'glyf' || tag === 'loca' ? 0xc0 : 0
      const name =
        known < 0 ? Buffer.concat([Buffer.from([63]), Buffer.from(tag, 'latin1')]) : Buffer.from([known | version])
      return Buffer.concat([name, base128(bytes.length)])
    }),
  )
  const data = brotliCompressSync(Buffer.concat(tables.map(({ bytes }) => bytes)))
  const header = Buffer.alloc(48)
  header.write('wOF2', 'latin1')
  ttf.copy(header, 4, 0, 4)
  const padding = Buffer.alloc((4 - ((48 + directory.length + data.length) % 4)) % 4)
  header.writeUInt32BE(48 + directory.length + data.length + padding.length, 8)
  header.writeUInt16BE(tables.length, 12)
  header.writeUInt32BE(ttf.length, 16)
  header.writeUInt32BE(data.length, 20)
  header.writeUInt16BE(1, 24)
  return Buffer.concat([header, directory, data, padding])
}

/** Returns a number of the form UIntBase128. */
function base128(value: number): Buffer {
  const bytes = [value & 127]
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 127) | 128)
  return Buffer.from(bytes)
}

const { resolve } = createRequire(import.meta.url)

/** A font of which every text can be seen to have it: DejaVu Serif Condensed, in italics. */
export const FONT = woff2(readFileSync(resolve('dejavu-fonts-ttf/ttf/DejaVuSerifCondensed-Italic.ttf')))
