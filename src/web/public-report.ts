import { Problem } from '../domain/problem.ts'
import { thresholdFor } from '../domain/report/reader.ts'
import {
  findSharedReport,
  isValidProof,
  ownerContext,
  type SharedReport,
  verifySharedPassword,
} from '../domain/report/shared.ts'
import { findSnapshot, summariseSurvey } from '../domain/survey/queries.ts'
import { type Html, html } from '../lib/html.ts'
import { readCookie, setCookie } from './cookie.ts'
import { denyFraming } from './csp.ts'
import { isSameOrigin } from './csrf.ts'
import { alert, field } from './forms/field.ts'
import { formValue } from './forms/form-fields.ts'
import { problemText } from './i18n/error-texts.ts'
import { pageDirection, pageLanguage } from './i18n/page-locale.ts'
import { t } from './i18n/t.ts'
import { authPage, htmlDocument } from './layout/document.ts'
import type { PageRequest, PageResult } from './page.ts'
import { daysPage, histogramPage, reportContent } from './report/content.ts'
import type { StandalonePage } from './report/deferred.ts'
import { chartFile, dataFile, daysFile } from './report/downloads.ts'
import { immediateDays, immediateHistograms } from './report/histogram.ts'
import { localizerFor } from './report/localize.ts'
import { type ReportRequest, readReportQuery, reportPath, resultsFor } from './report/report-request.ts'
import { textsPage } from './report/text-answers.ts'

/**
 * Maximum number of proofs in the cookie. Each proof shows that the reader has entered the password of a report. Only
 * the most recent proofs are kept.
 */
const MAX_PROOFS = 10
const readProofs = ({ ctx, context }: PageRequest): string[] =>
  (readCookie(ctx, context.services, 'reports') ?? '').split('.').filter(Boolean)

const passwordPage = (error?: string, status = 200): PageResult => ({
  status,
  page: authPage(
    t('Shared report'),
    html`
      ${alert(error)}
      <form method="post">
        <p class="soft">Enter the password to view this report. If you do not have it, ask the sender of the link.</p>
        ${field({ name: 'password', label: t('Password'), type: 'password', autocomplete: 'off', required: true })}
        <div class="actions"><button class="primary">View report</button></div>
      </form>`,
  ),
})

/** Shows a page of the shared report if the reader has entered the password, otherwise the password form. */
async function withPassword(
  request: PageRequest,
  page: (report: ReportRequest) => Promise<PageResult>,
): Promise<PageResult> {
  denyFraming(request.ctx)
  const shared = await findSharedReport(request.context, request.params.token ?? '')
  if (!readProofs(request).some((proof) => isValidProof(request.context.services, shared, proof))) return passwordPage()
  try {
    return await request.context.services.replicas.read(request.context, async (context) =>
      page(await guestReportRequest({ ...request, context }, shared)),
    )
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'invalid') throw error
    const text = html`<p>
      The report uses questions or answers that are no longer in the survey. Ask the sender of the link to update the
      report.
    </p>`
    return { status: 422, page: publicPage(t('This report is out of date'), shared.survey.name, text) }
  }
}

async function guestReportRequest({ context, params, ctx }: PageRequest, shared: SharedReport): Promise<ReportRequest> {
  const { report, survey } = shared
  const reader = ownerContext(context, shared)
  const snapshot = await findSnapshot(reader, survey.id, 'Report')
  return {
    context: reader,
    survey: await summariseSurvey(reader, survey.id, 'Report'),
    title: report.title,
    design: report,
    basePath: `/reports/${params.token}/`,
    isMember: false,
    threshold: thresholdFor(reader, snapshot),
    listQuery: readReportQuery(ctx.querystring, false),
  }
}

/** Checks the password of a shared report, and stores a proof in the cookie if the password is correct. */
export async function enterSharedReport(request: PageRequest): Promise<PageResult> {
  denyFraming(request.ctx)
  const { ctx, context, params } = request
  const shared = await findSharedReport(context, params.token ?? '')
  if (!isSameOrigin(ctx, context.services)) return passwordPage(t('Enter the password on this page.'), 403)
  try {
    const proof = await verifySharedPassword(context, shared, formValue(await request.form(), 'password') ?? '', {
      ipAddress: ctx.ip,
    })
    if (proof === undefined) return passwordPage(t('The password is incorrect.'), 403)
    const proofs = [proof, ...readProofs(request).filter((other) => other !== proof)].slice(0, MAX_PROOFS)
    setCookie(ctx, context.services, 'reports', proofs.join('.'))
    return { redirect: ctx.path }
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'too_many') throw error
    if (error.retryAfter !== undefined) ctx.set('Retry-After', String(error.retryAfter))
    return passwordPage(problemText(error), 429)
  }
}

/** Renders a page for guests (readers without an account), without the navigation of the application. */
const publicPage = (title: string, from: string, content: Html, beforeHeading?: Html): Html =>
  htmlDocument({
    language: pageLanguage(),
    direction: pageDirection(),
    title: `${title} – Canvass`,
    layout: 'app',
    scripts: ['report.js'],
    body: html`
      <a class="skip" href="#main">Skip to main content</a>
      <header class="bar"><p class="brand">${from}</p></header>
      <main id="main" tabindex="-1">${beforeHeading}<div class="head"><h1>${title}</h1></div>${content}</main>`,
  })

async function showShared(report: ReportRequest): Promise<PageResult> {
  const { context, survey, title, listQuery } = report
  const { questionnaire } = await findSnapshot(context, survey.id, 'Report')
  const [results, days] = await Promise.all([resultsFor(report), immediateDays(report)])
  const histograms = await immediateHistograms(report, results.questions)
  const content = html`
    ${reportContent(report, { results, days, histograms, localize: localizerFor(questionnaire, listQuery.language) })}
    <p class="downloads"><a href="${reportPath(report, 'numbers.csv')}" download>Download data (CSV)</a></p>`
  return { page: publicPage(title, survey.name, content) }
}

/** Renders one part of a report on a page of its own. */
const standalone = async (report: ReportRequest, part: Promise<StandalonePage>): Promise<PageResult> => {
  const { title, beforeHeading, content } = await part
  return { page: publicPage(title, report.survey.name, content, beforeHeading) }
}

export const showSharedReport = (request: PageRequest): Promise<PageResult> => withPassword(request, showShared)

export const downloadSharedData = (request: PageRequest): Promise<PageResult> => withPassword(request, dataFile)

export const showSharedDays = (request: PageRequest): Promise<PageResult> =>
  withPassword(request, (report) => standalone(report, daysPage(report)))

export const downloadSharedDays = (request: PageRequest): Promise<PageResult> =>
  withPassword(request, (report) => daysFile(report, request.params.form!))

export const showSharedHistogram = (request: PageRequest): Promise<PageResult> =>
  withPassword(request, (report) => standalone(report, histogramPage(report, request.params.question!)))

export const downloadSharedChart = (request: PageRequest): Promise<PageResult> =>
  withPassword(request, (report) => chartFile(report, request.params.question!, request.params.form!))

export const showSharedTexts = (request: PageRequest): Promise<PageResult> =>
  withPassword(request, (report) => standalone(report, textsPage(report, request.params.key!, request.query)))
