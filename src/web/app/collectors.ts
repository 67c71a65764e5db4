import { createCollector, deleteCollector, updateCollector } from '../../domain/collector/commands.ts'
import { type CollectorSummary, listCollectors, summariseCollector } from '../../domain/collector/queries.ts'
import { problems } from '../../domain/problem.ts'
import { type CollectorProgress, countProgress } from '../../domain/rollup/progress.ts'
import type { Services } from '../../domain/services.ts'
import { surveyUrl } from '../../domain/survey-address.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { csrfField } from '../csrf.ts'
import { confirmPage } from '../forms/confirm.ts'
import { alert, type FormErrors, field } from '../forms/field.ts'
import { formValue } from '../forms/form-fields.ts'
import { formPage } from '../forms/form-page.ts'
import { t } from '../i18n/t.ts'
import { dateTag } from '../layout/format.ts'
import { backLink } from '../layout/parts.ts'
import type { PageResult } from '../page.ts'
import { countText } from '../report/plot.ts'
import { parseId } from '../session.ts'
import { linkView, qrCodeFile, qrCodeView } from './surveys/show.ts'
import type { SurveyRequest } from './surveys/survey-page.ts'

/** Lists the collectors of a survey, with a form that creates another one. */
export const showCollectors = (request: SurveyRequest): Promise<PageResult> => collectorsPage(request)

async function collectorsPage(request: SurveyRequest, rejected?: FormErrors): Promise<PageResult> {
  const { context, survey, root, csrf, form } = request
  const { collectors } = await listCollectors(context, survey.id)
  const progress = await progressByCollector(request)
  return request.render({
    title: t('Collectors'),
    action: html`<a class="button plain" href="${root}embeds/">Embed in a page</a>`,
    scripts: ['copy.js'],
    content: html`
      <p class="soft">
        Each collector is a link of its own, for example for a newsletter, a poster or a panel. Its responses can be
        counted, filtered and closed separately.
      </p>
      <ul class="cards">
        ${collectors.map((collector) => collectorCard(request, collector, progress?.get(collector.id)))}
      </ul>
      <section class="card" aria-labelledby="new">
        <h2 id="new">New collector</h2>
        ${alert(rejected?.general)}
        <form method="post" action="${root}collectors/">
          ${csrfField(csrf)}
          ${field({
            name: 'name',
            label: t('Name'),
            hint: t('Respondents do not see it.'),
            value: rejected ? (formValue(form, 'name') ?? '') : '',
            required: true,
            errors: rejected?.errors,
          })}
          <button class="primary">Create collector</button>
        </form>
      </section>`,
  })
}

/** Returns the counts of the collectors for a user who may see figures. */
async function progressByCollector({
  context,
  survey,
  may,
}: SurveyRequest): Promise<ReadonlyMap<number, CollectorProgress> | undefined> {
  if (!may('Report')) return undefined
  const { collectors = [] } = await countProgress(context, survey.id, { byCollector: true })
  return new Map(collectors.map((each) => [each.collector, each]))
}

const addressOf = ({ baseUrl }: Services, { id, isDefault, survey }: CollectorSummary): string =>
  surveyUrl(baseUrl, survey, isDefault ? undefined : id)

const statusView = ({ live, isDefault }: CollectorSummary): Html =>
  html`${live ? html`<span class="tag good">Open</span>` : html`<span class="tag open">Closed</span>`}${
    isDefault && html` <span class="tag">Default</span>`
  }`

function collectorCard(
  { context, root, may }: SurveyRequest,
  collector: CollectorSummary,
  progress: CollectorProgress | undefined,
): Html {
  const { id, name } = collector
  const link = addressOf(context.services, collector)
  return html`<li class="card">
    <div class="line">
      <h2><a href="${root}collectors/${id}/">${name}</a></h2>
      <span>${statusView(collector)}</span>
    </div>
    <p class="soft">${countsText(collector, may('Report') ? progress : undefined)}</p>
    <p class="share-link">
      <a class="address" id="link-${id}" href="${link}">${link}</a> <button type="button" class="small"
          data-copy="link-${id}" aria-label="Copy link of ${name}" hidden>Copy</button>
    </p>
  </li>`
}

/** Returns the number of responses, with their states if they are known. */
function countsText({ responses }: CollectorSummary, progress: CollectorProgress | undefined): string {
  if (!progress) return t('Responses: {count}', { count: countText(responses) })
  const { started, complete, terminated } = progress
  return t('Responses: {count} – {complete} complete, {incomplete} incomplete, {terminated} screened out', {
    count: countText(started),
    complete: countText(complete),
    incomplete: countText(started - complete - terminated),
    terminated: countText(terminated),
  })
}

/** Creates a collector. */
export const saveNewCollector = (request: SurveyRequest): Promise<PageResult> =>
  formPage(request, {
    fields: ['name'],
    act: (context) =>
      createCollector(context, { survey: request.survey.id, name: formValue(request.form, 'name') ?? '' }),
    view: (rejected) => collectorsPage(request, rejected),
    done: ({ id, name }) => ({
      redirect: `${request.root}collectors/${id}/`,
      flash: t('Collector “{name}” created. Copy its link below.', { name }),
    }),
  })

/**
 * Returns the collector that the address names.
 * @throws {Problem} `collector_not_found`, also for a collector of another survey
 */
export async function findShown({ context, survey, params }: SurveyRequest): Promise<CollectorSummary> {
  const collector = await summariseCollector(context, parseId(params.collector))
  if (collector.survey.id !== survey.id) throw problems.collectorNotFound()
  return collector
}

/** Shows one collector with its link, its QR code and its settings. */
export const showCollector = (request: SurveyRequest): Promise<PageResult> => collectorPage(request)

async function collectorPage(request: SurveyRequest, rejected?: FormErrors): Promise<PageResult> {
  const { context, root, csrf, form, may, survey } = request
  const collector = await findShown(request)
  const progress = (await progressByCollector(request))?.get(collector.id)
  const path = `${root}collectors/${collector.id}/`
  const link = addressOf(context.services, collector)
  return request.render({
    title: collector.name,
    beforeHeading: backLink(`${root}collectors/`, t('All collectors')),
    scripts: ['copy.js'],
    content: html`
      <section class="card share" aria-labelledby="link-heading">
        <div>
          <h2 id="link-heading">Link ${statusView(collector)}</h2>
          ${
            survey.unpublished
              ? html`<p class="soft">Respondents cannot take this survey before it is published.</p>`
              : !survey.live && html`<p class="soft">The survey is closed, so that no collector takes responses.</p>`
          }
          ${linkView('link', t('Survey link'), t('Copy survey link'), link)}
          <p class="soft below">${countsText(collector, progress)}</p>
          <div class="button-row below">
            ${
              may('View') &&
              html`<a class="button plain small" href="${root}responses/?_collector=${collector.id}">View responses</a>`
            }
            <form method="post" action="${path}live/">
              ${csrfField(csrf)}
              <input type="hidden" name="live" value="${collector.live ? '0' : '1'}">
              <button class="${collector.live ? 'small danger' : 'small primary'}">
                ${collector.live ? t('Close collector') : t('Reopen collector')}
              </button>
            </form>
          </div>
        </div>
        ${qrCodeView(path)}
      </section>
      <section class="card" aria-labelledby="panel-heading">
        <h2 id="panel-heading">Panel</h2>
        <p class="soft">
          Respondents of a panel return to it at the end, with their ID and a signature.
        </p>
        <p class="below"><a class="button plain small" href="${path}panel/">Return links for a panel</a></p>
      </section>
      <section class="card" aria-labelledby="name-heading">
        <h2 id="name-heading">Name</h2>
        ${alert(rejected?.general)}
        <form method="post" action="${path}">
          ${csrfField(csrf)}
          ${field({
            name: 'name',
            label: t('Name'),
            hint: t('Respondents do not see it.'),
            value: rejected ? (formValue(form, 'name') ?? '') : collector.name,
            required: true,
            errors: rejected?.errors,
          })}
          <button>Save name</button>
        </form>
        <p class="soft below">Created ${dateTag(collector.createdAt)}</p>
      </section>
      ${deleteView(collector, path)}`,
  })
}

/** Renders the link that deletes a collector, or why it cannot be deleted. */
function deleteView({ isDefault, responses }: CollectorSummary, path: string): Part {
  if (isDefault) return null
  return html`<section class="card" aria-labelledby="delete-heading">
    <h2 id="delete-heading">Delete</h2>
    ${
      responses > 0
        ? html`<p class="soft">
          A collector with responses cannot be deleted, because its responses refer to it. Close it instead.
        </p>`
        : html`<a class="button danger small" href="${path}delete/">Delete collector…</a>`
    }
  </section>`
}

/** Renames a collector. */
export async function saveCollector(request: SurveyRequest): Promise<PageResult> {
  const { id } = await findShown(request)
  return formPage(request, {
    fields: ['name'],
    act: (context) => updateCollector(context, id, { name: formValue(request.form, 'name') ?? '' }),
    view: (rejected) => collectorPage(request, rejected),
    done: () => ({ redirect: `${request.root}collectors/${id}/`, flash: t('Collector renamed.') }),
  })
}

/** Opens or closes a collector. */
export async function setCollectorLive(request: SurveyRequest): Promise<PageResult> {
  const { id } = await findShown(request)
  const live = formValue(request.form, 'live') === '1'
  await request.write((context) => updateCollector(context, id, { live }))
  request.flash(live ? t('Collector reopened.') : t('Collector closed. Its link takes no more responses.'))
  return { redirect: `${request.root}collectors/${id}/` }
}

/** Asks for confirmation before a collector is deleted. */
export async function confirmDeleteCollector(request: SurveyRequest): Promise<PageResult> {
  const { id, name } = await findShown(request)
  const path = `${request.root}collectors/${id}/`
  return confirmPage(request, {
    title: t('Delete the collector “{name}”?', { name }),
    beforeHeading: backLink(path, name),
    text: t('Its link then leads to the default collector.'),
    button: t('Delete collector'),
    cancel: { label: t('Cancel'), path },
  })
}

/** Deletes a collector without responses. */
export async function removeCollector(request: SurveyRequest): Promise<PageResult> {
  const { id } = await findShown(request)
  await request.write((context) => deleteCollector(context, id))
  request.flash(t('Collector deleted.'))
  return { redirect: `${request.root}collectors/` }
}

/** Sends the QR code of the link of a collector. */
export async function downloadCollectorQrCode(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, params, query } = request
  const collector = await findShown(request)
  return qrCodeFile(context.services, params.file, {
    address: addressOf(context.services, collector),
    name: `${survey.slug}-${collector.id}`,
    isDownload: query.has('download'),
  })
}
