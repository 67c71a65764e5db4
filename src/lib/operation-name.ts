import type { Context } from 'koa'

/** Returns the operation of a contract, or the name of the page, that answered a request; `none` if neither did. */
export function operationName(ctx: Context): string {
  const { operation } = ctx.state
  return typeof operation === 'string' ? operation : (operation?.operationId ?? 'none')
}
