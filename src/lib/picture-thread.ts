import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'
import { initWasm, Resvg } from '@resvg/resvg-wasm'

/** A thread that draws: gets the text of an SVG file and answers with the bytes of a PNG file. */

const { resolve } = createRequire(import.meta.url)
const FONTS = ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf'].map((name) => `dejavu-fonts-ttf/ttf/${name}`)

/** Two pixels for each of the drawing, so that it is sharp on slides, but not more than this in all: some seconds of work. */
const ZOOM = 2
const MOST_PIXELS = 8_000_000

// The renderer (https://github.com/thx/resvg-js) is a program of its own; it knows no fonts but those it is given.
await initWasm(await readFile(resolve('@resvg/resvg-wasm/index_bg.wasm')))
const fontBuffers = await Promise.all(FONTS.map((font) => readFile(resolve(font))))
const font = { fontBuffers, defaultFontFamily: 'DejaVu Sans', sansSerifFamily: 'DejaVu Sans' }

parentPort!.on('message', (svg: string) => parentPort!.postMessage(pngOf(svg)))

function pngOf(svg: string): Uint8Array {
  const plain = new Resvg(svg, { font })
  const zoom = Math.min(ZOOM, Math.sqrt(MOST_PIXELS / (plain.width * plain.height)))
  plain.free()
  const scaled = new Resvg(svg, { font, fitTo: { mode: 'zoom', value: zoom } })
  const image = scaled.render()
  const png = image.asPng()
  image.free()
  scaled.free()
  return png
}
