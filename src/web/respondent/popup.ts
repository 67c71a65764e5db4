import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Middleware } from 'koa'
import { POPUP_SCRIPT } from '../../domain/collector/snippet.ts'

const script = readFileSync(new URL('../assets/popup.js', import.meta.url), 'utf8')
const etag = `"${createHash('sha256').update(script).digest('base64url').slice(0, 22)}"`

/**
 * Serves the script of popup embeds. Other websites load the script from an address that never changes, so browsers
 * cache it for a short time only.
 */
export const servePopup: Middleware = (ctx, next) => {
  if (ctx.path !== POPUP_SCRIPT || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next()
  ctx.set({ ETag: etag, 'Cache-Control': 'public, max-age=3600' })
  ctx.type = 'text/javascript; charset=utf-8'
  ctx.status = 200
  if (ctx.fresh) ctx.status = 304
  else ctx.body = script
}
