import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Middleware } from 'koa'

const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const

interface Asset {
  path: string
  type: string
  text: string
}

/** Files of `asset/`, read once and joined; the address holds a digest of the content, so it may be kept for ever. */
function read(name: string, extension: keyof typeof types, files: readonly string[]): Asset {
  const text = files
    .map((file) => readFileSync(new URL(`./asset/${file}.${extension}`, import.meta.url), 'utf8'))
    .join('')
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12)
  return { path: `/assets/${name}.${digest}.${extension}`, type: types[extension], text }
}

/** Later parts of the style sheet rest on the earlier ones. */
const styles = ['base', 'frame', 'question', 'choice', 'grid', 'message', 'outbox'].map((part) => `survey/${part}`)

/** The signed-in pages look like the surveys they are about. */
const desk = ['survey/base', 'survey/frame', 'survey/message', 'desk/shell', 'desk/form', 'desk/list', 'desk/survey']

const assets = {
  'desk.css': read('desk', 'css', desk),
  'survey.css': read('survey', 'css', styles),
  'survey.js': read('survey', 'js', ['survey']),
}
const byPath = new Map<string, Asset>(Object.values(assets).map((asset) => [asset.path, asset]))

/** A style sheet or script of ours by name. */
export type AssetName = keyof typeof assets

/** Where a style sheet or script is served, from the root of the site. */
export const assetPath = (name: AssetName): string => assets[name].path

/** Serves the files; anything else is passed on. */
export const serveAssets: Middleware = (ctx, next) => {
  const asset = ctx.method === 'GET' || ctx.method === 'HEAD' ? byPath.get(ctx.path) : undefined
  if (!asset) return next()
  ctx.set('Cache-Control', 'public, max-age=31536000, immutable')
  ctx.type = asset.type
  ctx.body = asset.text
}
