import type { PageRequest } from './page.ts'

/**
 * Returns whether a browser or a preview loads a page before the user has opened it. Such a request must not change
 * anything.
 */
export const isPrefetch = ({ ctx }: Pick<PageRequest, 'ctx'>): boolean =>
  [ctx.get('sec-purpose'), ctx.get('purpose'), ctx.get('x-purpose'), ctx.get('x-moz')].some((purpose) =>
    /\b(?:prefetch|prerender|preview)\b/i.test(purpose),
  )
