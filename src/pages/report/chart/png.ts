import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

const { resolve } = createRequire(import.meta.url)
const FONTS = ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf'].map((name) => `dejavu-fonts-ttf/ttf/${name}`)

/** Two pixels for each of the drawing, so that it is sharp on slides, but not more than this in all: nobody else is served meanwhile. */
const ZOOM = 2
const MOST_PIXELS = 8_000_000

interface Prepared {
  Resvg: typeof import('@resvg/resvg-wasm')['Resvg']
  fontBuffers: Uint8Array[]
}

let prepared: Promise<Prepared> | undefined

/** The renderer is a program of its own, made ready when first needed; it knows no fonts but those it is given. */
async function prepare(): Promise<Prepared> {
  const { initWasm, Resvg } = await import('@resvg/resvg-wasm')
  await initWasm(await readFile(resolve('@resvg/resvg-wasm/index_bg.wasm')))
  return { Resvg, fontBuffers: await Promise.all(FONTS.map((font) => readFile(resolve(font)))) }
}

/** A picture of a chart (https://github.com/thx/resvg-js), for programs that take no SVG. */
export async function pngOf(svg: string): Promise<Buffer> {
  prepared ??= prepare()
  const { Resvg, fontBuffers } = await prepared
  const font = { fontBuffers, defaultFontFamily: 'DejaVu Sans', sansSerifFamily: 'DejaVu Sans' }
  const plain = new Resvg(svg, { font })
  const zoom = Math.min(ZOOM, Math.sqrt(MOST_PIXELS / (plain.width * plain.height)))
  plain.free()
  const scaled = new Resvg(svg, { font, fitTo: { mode: 'zoom', value: zoom } })
  try {
    const image = scaled.render()
    const png = Buffer.from(image.asPng())
    image.free()
    return png
  } finally {
    scaled.free()
  }
}
