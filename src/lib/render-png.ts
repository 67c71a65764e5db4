import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { initWasm, Resvg } from '@resvg/resvg-wasm'

const { resolve } = createRequire(import.meta.url)
const FONTS = ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf'].map((name) => `dejavu-fonts-ttf/ttf/${name}`)

/** Pixels per unit of the SVG, for sharp text on slides. */
const ZOOM = 2
/** Limits the time of one image to some seconds. */
const MAX_PIXELS = 8_000_000

// The renderer (https://github.com/thx/resvg-js) does not read the fonts of the system.
await initWasm(await readFile(resolve('@resvg/resvg-wasm/index_bg.wasm')))
const fontBuffers = await Promise.all(FONTS.map((font) => readFile(resolve(font))))
const font = { fontBuffers, defaultFontFamily: 'DejaVu Sans', sansSerifFamily: 'DejaVu Sans' }

/**
 * Renders an SVG file as a task of `createPictures`.
 * @returns the bytes of a PNG file
 */
export function renderPng(svg: string): Uint8Array {
  const plain = new Resvg(svg, { font })
  const zoom = Math.min(ZOOM, Math.sqrt(MAX_PIXELS / (plain.width * plain.height)))
  plain.free()
  const scaled = new Resvg(svg, { font, fitTo: { mode: 'zoom', value: zoom } })
  const image = scaled.render()
  const png = image.asPng()
  image.free()
  scaled.free()
  return png
}
