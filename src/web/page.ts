import type { Readable } from 'node:stream'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context as Koa } from 'koa'
import type { Priority } from '../domain/admission.ts'
import { lazyContext, type PublicContext } from '../domain/context.ts'
import type { AuthorizationEndpoint } from '../domain/oauth/client.ts'
import { Problem } from '../domain/problem.ts'
import type { Services } from '../domain/services.ts'
import { allowPauses } from '../lib/deadlines.ts'
import type { DevMailbox } from '../lib/dev-mailbox.ts'
import type { Html } from '../lib/html.ts'
import { hasTag } from '../lib/http.ts'
import type { SpooledFile } from '../lib/temporary-files.ts'
import { type ErrorPage, errorPage, NOT_FOUND, START_LINK } from './errors/error-page.ts'
import { type FormFields, parseFormFields } from './forms/form-fields.ts'
import { problemText } from './i18n/error-texts.ts'
import { inLocale, NO_CHOICE, type PageLocale, printIn, useLocale } from './i18n/page-locale.ts'
import { perLanguage, t } from './i18n/t.ts'

/** The size limits of a form with files. */
export interface UploadLimits {
  /** Maximum size of a file in bytes. The rest of a longer file is discarded. */
  maxFileBytes: number
  /** Maximum total size of the fields without a file, in bytes. */
  maxFieldBytes: number
  maxFiles: number
  /** Whether to discard all files and only count them, because the request will be rejected. */
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
  /**
   * Returns the Problem for a database error that a request can cause or that is temporary; undefined for any other
   * error.
   */
  translate(error: unknown): Problem | undefined
  /**
   * Runs a function. If the database stops responding, rejects without waiting for the function.
   * @throws {Problem} `unavailable`
   */
  rejectOnOutage<Result>(work: () => Promise<Result>): Promise<Result>
  /**
   * Reads the submitted form.
   * @param maxBytes size limit of the body
   * @param files how files are read; if it is undefined, multipart bodies are rejected
   * @returns undefined if the request has no body
   */
  readForm(ctx: Koa, maxBytes: number, files?: 'text' | 'base64'): Promise<unknown>
  /** Receives a form with files, which are stored on disk. The caller has to remove the files. */
  receiveForm(ctx: Koa, limits: UploadLimits): Promise<UploadForm>
  /** The OAuth authorization endpoint that the consent page uses. */
  authorization: AuthorizationEndpoint
  /**
   * The messages that are stored on disk instead of being sent. `/dev/outbox/` shows them. Undefined if a mail server
   * is configured.
   */
  devMailbox?: DevMailbox | undefined
}

/** The reply of a page. */
export type PageResult =
  | { status?: number; page: Html }
  | { redirect: string; permanent?: boolean; temporary?: boolean }
  | { status?: number; json: unknown }
  | PageFile

/** A reply with a file instead of a page, such as an image or a download. */
export interface PageFile {
  file: string | Buffer | Readable
  /** Media type. */
  type: string
  /** The file name of a download. If it is undefined, the browser displays the file. */
  name?: string
  /** Identifies the content. A client that already has this content gets 304. */
  etag?: string
  /** 206 for a part of a file; absent: 200. */
  status?: number
  headers?: Readonly<Record<string, string>>
}

/** A request to a page, with the context that the domain functions need. */
export interface PageRequest {
  deps: PageServices
  context: PublicContext
  ctx: Koa
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  /**
   * Reads the submitted form. Call it after every check that does not need the form.
   * @param maxBytes size limit of the body; {@link MAX_PUBLIC_FORM_BYTES} by default
   * @param files how files are read. Pass it only for signed-in users. If it is undefined, multipart bodies are
   *   rejected.
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

/**
 * Size limit in bytes of forms that need no session. They contain names, passwords and email addresses. Survey pages
 * have a limit of their own.
 */
const MAX_PUBLIC_FORM_BYTES = 64 * 1024

const SERVER_ERROR: () => ErrorPage = perLanguage(() => ({
  title: t('Sorry, there is a problem with the service'),
  text: t('The error has been logged. Try again in a few minutes.'),
  link: START_LINK(),
}))

/**
 * Returns the error page for an error that the page function did not handle. The statuses 404 and 500 have fixed texts.
 * For any other status, the error page shows the message of a Problem, but not the message of any other error.
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
    ctx.status = result.status ?? 200
    ctx.body = result.json
    return
  }
  if ('file' in result) {
    if (result.name) {
      ctx.attachment(result.name)
      allowPauses(ctx.res)
    }
    ctx.type = result.type
    ctx.status = result.status ?? 200
    ctx.body = result.file
    ctx.set(result.headers ?? {})
    if (!result.etag) return
    const etag = `"${result.etag}"`
    ctx.set('ETag', etag)
    if (hasTag(ctx.get('If-None-Match'), etag)) ctx.status = 304
    return
  }
  ctx.status = result.status ?? 200
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = printIn((ctx.state.locale as PageLocale | undefined)?.language ?? 'en', result.page)
}

/** Returns the HTTP status of an error. The status is 500 unless the error is a Problem or a client error. */
function statusOf(error: unknown): number {
  const { status = 500 } = error as { status?: number }
  if (error instanceof Problem && error.kind === 'not_found') return 404
  if (status >= 400 && status < 500) return status
  if (!(error instanceof Problem)) return 500
  if (error.kind === 'too_many') return 429
  return error.kind === 'unavailable' ? 503 : 400
}

/**
 * Returns whether the pages of a path are shown in a language that the browser prefers. Survey pages are not among
 * them, because the author sets their languages.
 */
const isLocalized = (path: string): boolean => !/^\/(surveys|unsubscribe|s|themes|logos|images|dev)(\/|$)/.test(path)

/**
 * Returns the request handler for a page function. The handler shows errors on an error page.
 * @param operation the name of the page in the metrics
 */
export const handlePage = (deps: PageServices, operation: string, page: Page, priority: Priority = 'normal') => {
  const serve = async (ctx: Koa & { params: Record<string, string> }): Promise<void> => {
    ctx.state.operation = operation
    ctx.set('Cache-Control', 'no-store')
    const { admission } = deps.services
    const received: SpooledFile[] = []
    try {
      const values = { now: deps.clock(), services: deps.services, ipAddress: ctx.ip }
      const context = lazyContext(deps.fork, values)
      const form = async (maxBytes = MAX_PUBLIC_FORM_BYTES, files?: 'text' | 'base64') =>
        parseFormFields(await admission.receive(priority, () => deps.readForm(ctx, maxBytes, files)))
      const upload = async (limits: UploadLimits) => {
        const submitted = await admission.receive(priority, () => deps.receiveForm(ctx, limits))
        received.push(...submitted.files.map(({ file }) => file))
        return submitted
      }
      // PostgreSQL cannot store U+0000. It is replaced with U+FFFD, like other invalid characters.
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
    isLocalized(ctx.path) ? inLocale(useLocale(ctx, NO_CHOICE), () => serve(ctx)) : serve(ctx)
}
