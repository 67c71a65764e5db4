import type { Readable } from 'node:stream'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context as Koa } from 'koa'
import type { PublicContext } from '../domain/context.ts'
import type { Authorize } from '../domain/oauth/authorization.ts'
import { Problem } from '../domain/problem.ts'
import type { Services } from '../domain/services.ts'
import type { DevMailbox } from '../lib/dev-mailbox.ts'
import type { Html } from '../lib/html.ts'
import { type ErrorPage, errorPage, NOTHING, START } from './errors/error-page.ts'
import { type FormFields, pairsOf } from './respondent/input.ts'

/** What pages need of the rest. */
export interface PageServices {
  fork(): EntityManager
  clock(): Date
  services: Services
  /** The Problem behind a database error that a caller can cause, or that will pass. */
  translate(error: unknown): Problem | undefined
  /**
   * Settles as the work does, or as soon as the database is found silent.
   * @throws {Problem} `unavailable`
   */
  unlessSilent<Result>(work: () => Promise<Result>): Promise<Result>
  /**
   * The fields of the form that was sent; undefined: none was.
   * @param largest in bytes
   * @param withFiles whether it may be multipart
   */
  readForm(ctx: Koa, largest: number, withFiles?: boolean): Promise<unknown>
  /** What the page of consent asks and tells. */
  authorization: Authorize
  /** Where mail lands that is not sent, to be shown on this machine. */
  outbox?: DevMailbox | undefined
}

/** What a page answers with. */
export type PageResult =
  | { status?: number; page: Html }
  | { redirect: string; permanent?: boolean }
  | { json: unknown }
  | File

/** Something to look at in a browser or to keep, that is no page. */
export interface File {
  file: string | Buffer | Readable
  /** Its media type. */
  type: string
  /** Under which name it is kept; absent: it is shown. */
  name?: string
}

/** A request to a page, with what the domain needs to know of it. */
export interface PageRequest {
  context: PublicContext
  ctx: Koa
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  /**
   * Reads the form that was sent: after what can be said without it, so that nobody's form is read in vain.
   * @param largest in bytes, where it may be larger than {@link SMALL}
   * @param withFiles whether it may be multipart: only of people who are signed in
   * @throws with the status 413 when it is too large, 400 or 415 when it is no form
   */
  form(largest?: number, withFiles?: boolean): Promise<FormFields>
}

/**
 * The largest form of somebody whom we do not know, in bytes: names, passwords and an address. A page of a survey may be
 * larger, and so may those of people who are signed in.
 */
const SMALL = 64 * 1024

const BROKEN: ErrorPage = {
  title: 'Something went wrong',
  text: 'That is our fault, and it is noted. Please go back and try again in a moment.',
  way: START,
}

/** What is told of a refusal that no page told itself; the text of anybody else's error is none for people. */
function refusalFor(error: unknown, status: number): ErrorPage {
  if (status === 404) return NOTHING
  if (status === 500) return BROKEN
  const text = error instanceof Problem ? error.message : 'What was sent cannot be read.'
  return { title: status === 413 ? 'That is too large' : 'That did not work', text, way: START }
}

function send(ctx: Koa, answer: PageResult): void {
  if ('redirect' in answer) {
    ctx.redirect(answer.redirect)
    ctx.status = answer.permanent ? 301 : 303
    return
  }
  if ('json' in answer) {
    ctx.body = answer.json
    return
  }
  if ('file' in answer) {
    if (answer.name) ctx.attachment(answer.name)
    ctx.type = answer.type
    ctx.body = answer.file
    return
  }
  ctx.status = answer.status ?? 200
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = String(answer.page)
}

/** What is not a refusal is a fault of ours. */
function statusOf(error: unknown): number {
  const { status = 500 } = error as { status?: number }
  if (error instanceof Problem && error.kind === 'missing') return 404
  if (status >= 400 && status < 500) return status
  if (!(error instanceof Problem)) return 500
  if (error.kind === 'too_many') return 429
  return error.kind === 'unavailable' ? 503 : 400
}

/** Serves a page: asks it, answers; what goes wrong is told on a page as well. */
export const handlePage =
  (deps: PageServices, operation: string, page: (request: PageRequest) => Promise<PageResult>) =>
  async (ctx: Koa & { params: Record<string, string> }): Promise<void> => {
    ctx.state.operation = operation
    ctx.set('Cache-Control', 'no-store')
    try {
      const context = { em: deps.fork(), now: deps.clock(), services: deps.services, ipAddress: ctx.ip }
      const form = async (largest = SMALL, withFiles = false) => pairsOf(await deps.readForm(ctx, largest, withFiles))
      // The database knows no U+0000, and nobody means it: it is read like any other character that is none.
      const query = new URLSearchParams(ctx.querystring.replaceAll('%00', '%EF%BF%BD'))
      send(ctx, await deps.unlessSilent(() => page({ context, ctx, params: ctx.params, query, form })))
    } catch (thrown) {
      const error = thrown instanceof Problem ? thrown : (deps.translate(thrown) ?? thrown)
      const status = statusOf(error)
      if (status === 500) ctx.app.emit('error', error, ctx)
      if (error instanceof Problem && error.retryAfter !== undefined) ctx.set('Retry-After', String(error.retryAfter))
      send(ctx, { status, page: errorPage(ctx, status, refusalFor(error, status)) })
    }
  }
