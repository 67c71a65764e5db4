import type { Readable } from 'node:stream'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context as Koa } from 'koa'
import type { Priority } from '../domain/admission.ts'
import type { PublicContext } from '../domain/context.ts'
import type { AuthorizationEndpoint } from '../domain/oauth/authorization.ts'
import { Problem } from '../domain/problem.ts'
import type { Services } from '../domain/services.ts'
import type { DevMailbox } from '../lib/dev-mailbox.ts'
import { hasTag } from '../lib/etag.ts'
import type { Html } from '../lib/html.ts'
import type { SpooledFile } from '../lib/spooled-file.ts'
import { type ErrorPage, errorPage, NOT_FOUND, START_LINK } from './errors/error-page.ts'
import { type FormFields, parseFormFields } from './forms/form-fields.ts'
import { problemText } from './i18n/error-texts.ts'
import { inLocale, type PageLocale, preferredLanguage } from './i18n/page-locale.ts'
import { perLanguage, t } from './i18n/t.ts'

/** The limits of a form with files. */
export interface UploadLimits {
  /** Maximum size of a file; the rest of a longer file is discarded. */
  maxFileBytes: number
  /** Maximum size of all other fields. */
  maxFieldBytes: number
  maxFiles: number
  /** Whether the files are only counted, because the request will be refused. */
  discardsFiles?: boolean
}

/** A received form with its files, on disk. */
export interface UploadForm {
  fields: FormFields
  files: readonly { field: string; file: SpooledFile }[]
  /** Number of files that were discarded. */
  discarded: number
}

/** The dependencies of the pages. */
export interface PageServices {
  fork(): EntityManager
  clock(): Date
  services: Services
  /** Returns the Problem behind a database error that a request can cause or that is temporary. */
  translate(error: unknown): Problem | undefined
  /**
   * Runs a function, and rejects as soon as the database does not respond.
   * @throws {Problem} `unavailable`
   */
  rejectOnOutage<Result>(work: () => Promise<Result>): Promise<Result>
  /**
   * Reads the submitted form.
   * @param maxBytes size limit of the body
   * @param files how files are read; without it, multipart is not accepted
   * @returns undefined without a form
   */
  readForm(ctx: Koa, maxBytes: number, files?: 'text' | 'base64'): Promise<unknown>
  /** Receives a form with files on disk. Its files have to be removed. */
  receiveForm(ctx: Koa, limits: UploadLimits): Promise<UploadForm>
  /** The OAuth authorization endpoint behind the consent page. */
  authorization: AuthorizationEndpoint
  /** Messages stored on disk instead of sent, shown at `/dev/outbox/`; undefined with a mail server. */
  devMailbox?: DevMailbox | undefined
}

/** The reply of a page. */
export type PageResult =
  | { status?: number; page: Html }
  | { redirect: string; permanent?: boolean; temporary?: boolean }
  | { json: unknown }
  | PageFile

/** A reply that is not a page: an image or a download. */
export interface PageFile {
  file: string | Buffer | Readable
  /** Media type. */
  type: string
  /** File name of a download; without it the browser displays the file. */
  name?: string
  /** Identifies the content. A client that has it already receives 304. */
  etag?: string
}

/** A request to a page, with the context of the domain. */
export interface PageRequest {
  deps: PageServices
  context: PublicContext
  ctx: Koa
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  /**
   * Reads the submitted form. Call it after every check that does not need the form.
   * @param maxBytes size limit of the body; {@link MAX_PUBLIC_FORM_BYTES} by default
   * @param files how files are read: only from signed-in users. Without it, multipart is not accepted.
   * @throws with status 413 for a body that is too large, 400 or 415 for one that is not a form
   */
  form(maxBytes?: number, files?: 'text' | 'base64'): Promise<FormFields>
  /**
   * Reads a submitted form with files. The files are deleted after the reply.
   * @throws as `form`; {Problem} `unavailable` if the disk is full
   */
  upload(limits: UploadLimits): Promise<UploadForm>
}

/** A page function. */
export type Page = (request: PageRequest) => Promise<PageResult>

/** Size limit of forms that need no session: names, passwords and email addresses. Survey pages set their own. */
const MAX_PUBLIC_FORM_BYTES = 64 * 1024

const SERVER_ERROR: () => ErrorPage = perLanguage(() => ({
  title: t('Sorry, there is a problem with the service'),
  text: t('The error has been logged. Try again in a few minutes.'),
  link: START_LINK(),
}))

/**
 * Returns the error page for an error that the page did not handle. The error page shows the message of a Problem, and
 * no message of any other error.
 */
function errorPageFor(error: unknown, status: number): ErrorPage {
  if (status === 404) return NOT_FOUND()
  if (status === 500) return SERVER_ERROR()
  const text = error instanceof Problem ? problemText(error) : t('The form could not be read.')
  return { title: status === 413 ? t('The form is too large') : t('There is a problem'), text, link: START_LINK() }
}

function send(ctx: Koa, result: PageResult): void {
  if ('redirect' in result) {
    ctx.redirect(result.redirect)
    ctx.status = result.permanent ? 301 : result.temporary ? 302 : 303
    return
  }
  if ('json' in result) {
    ctx.body = result.json
    return
  }
  if ('file' in result) {
    if (result.name) ctx.attachment(result.name)
    ctx.type = result.type
    ctx.body = result.file
    if (!result.etag) return
    const etag = `"${result.etag}"`
    ctx.set('ETag', etag)
    if (hasTag(ctx.get('If-None-Match'), etag)) ctx.status = 304
    return
  }
  ctx.status = result.status ?? 200
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = String(result.page)
}

/** Returns the status of an error: 500 for everything that is not a Problem or a client error. */
function statusOf(error: unknown): number {
  const { status = 500 } = error as { status?: number }
  if (error instanceof Problem && error.kind === 'not_found') return 404
  if (status >= 400 && status < 500) return status
  if (!(error instanceof Problem)) return 500
  if (error.kind === 'too_many') return 429
  return error.kind === 'unavailable' ? 503 : 400
}

/** Returns whether a page is in the language of its reader. Surveys have languages of their own. */
const isLocalized = (path: string): boolean => !/^\/(surveys|unsubscribe|s|themes|logos|images|dev)(\/|$)/.test(path)

/**
 * Returns the handler of a page. It shows errors on an error page.
 * @param operation name of the page in the metrics
 */
export const handlePage = (deps: PageServices, operation: string, page: Page, priority: Priority = 'normal') => {
  const serve = async (ctx: Koa & { params: Record<string, string> }): Promise<void> => {
    ctx.state.operation = operation
    ctx.set('Cache-Control', 'no-store')
    const { admission } = deps.services
    const received: SpooledFile[] = []
    try {
      const context = { em: deps.fork(), now: deps.clock(), services: deps.services, ipAddress: ctx.ip }
      const form = async (maxBytes = MAX_PUBLIC_FORM_BYTES, files?: 'text' | 'base64') =>
        parseFormFields(await admission.receive(priority, () => deps.readForm(ctx, maxBytes, files)))
      const upload = async (limits: UploadLimits) => {
        const submitted = await admission.receive(priority, () => deps.receiveForm(ctx, limits))
        received.push(...submitted.files.map(({ file }) => file))
        return submitted
      }
      // PostgreSQL stores no U+0000: it becomes U+FFFD, like any other invalid character.
      const query = new URLSearchParams(ctx.querystring.replaceAll('%00', '%EF%BF%BD'))
      const run = () => page({ deps, context, ctx, params: ctx.params, query, form, upload })
      send(ctx, await admission.run(priority, () => deps.rejectOnOutage(run)))
    } catch (thrown) {
      const error = thrown instanceof Problem ? thrown : (deps.translate(thrown) ?? thrown)
      const status = statusOf(error)
      if (status === 500) ctx.app.emit('error', error, ctx)
      if (error instanceof Problem && error.retryAfter !== undefined) ctx.set('Retry-After', String(error.retryAfter))
      const show = () => errorPage(ctx, status, errorPageFor(error, status))
      const locale = ctx.state.locale as PageLocale | undefined
      send(ctx, { status, page: locale ? inLocale(locale, show) : show() })
    } finally {
      for (const file of received) await file.remove()
    }
  }
  return (ctx: Koa & { params: Record<string, string> }): Promise<void> =>
    isLocalized(ctx.path) ? inLocale({ language: preferredLanguage(ctx) }, () => serve(ctx)) : serve(ctx)
}
