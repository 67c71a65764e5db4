import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Middleware } from 'koa'
import { FRAME_SCRIPT, POPUP_SCRIPT } from '../../domain/collector/embeds.ts'
import { hasTag } from '../../lib/http.ts'

const readScript = (name: string) => {
  const text = readFileSync(new URL(`../assets/${name}.js`, import.meta.url), 'utf8')
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` }
}

const scripts = new Map([
  [FRAME_SCRIPT, readScript('frame')],
  [POPUP_SCRIPT, readScript('popup')],
])

/**
 * Serves the scripts of embeds. Other websites load the scripts from addresses that never change. Browsers may
 * therefore cache them only for a short time.
 */
export const serveEmbedScripts: Middleware = (ctx, next) => {
  const script = ctx.method === 'GET' || ctx.method === 'HEAD' ? scripts.get(ctx.path) : undefined
  if (!script) return next()
  ctx.set({ ETag: script.etag, 'Cache-Control': 'public, max-age=3600' })
  ctx.type = 'text/javascript; charset=utf-8'
  ctx.status = 200
  if (hasTag(ctx.get('If-None-Match'), script.etag)) ctx.status = 304
  else ctx.body = script.text
}
