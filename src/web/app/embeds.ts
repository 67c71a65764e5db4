import {
  createEmbed,
  deleteEmbed,
  EMBED_KINDS,
  type Embed,
  type EmbedKind,
  findEmbed,
  listEmbeds,
  renderEmbed,
} from '../../domain/collector/embeds.ts'
import { type CollectorSummary, listCollectors } from '../../domain/collector/queries.ts'
import { detail } from '../../domain/error-details.ts'
import { problems } from '../../domain/problem.ts'
import { type Html, html } from '../../lib/html.ts'
import { pageOf } from '../../lib/paging.ts'
import { csrfField } from '../csrf.ts'
import { select } from '../forms/field.ts'
import { formValue } from '../forms/form-fields.ts'
import { perLanguage, t } from '../i18n/t.ts'
import { dateTag } from '../layout/format.ts'
import { backLink, pager, pathWith } from '../layout/parts.ts'
import type { PageResult } from '../page.ts'
import { parseId } from '../session.ts'
import type { SurveyRequest } from './surveys/survey-page.ts'

const PAGE_SIZE = 20

/** The name and description of each kind of embed. */
const KINDS: () => Readonly<Record<EmbedKind, { name: string; description: string }>> = perLanguage(() => ({
  iframe: { name: t('Inline'), description: t('Shows the survey in a frame on the page.') },
  popup: { name: t('Popup'), description: t('Adds a button that opens the survey over the page.') },
  link: { name: t('Link'), description: t('Adds a link to the survey.') },
}))

/** Lists the embeds of a survey, with a form that creates another embed. */
export async function showEmbeds(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, query, root, csrf } = request
  const page = pageOf({ page: Number(query.get('page')) || 1, first: 1, default: PAGE_SIZE, max: PAGE_SIZE })
  const { total, embeds } = await listEmbeds(context, page, survey.id)
  const { collectors } = await listCollectors(context, survey.id)
  const path = `${root}embeds/`
  return request.render({
    title: t('Embeds'),
    beforeHeading: backLink(`${root}collectors/`, t('All collectors')),
    scripts: ['copy.js'],
    content: html`
      <p class="soft">Paste a snippet into a page of your website. Visitors can then open or take the survey there.</p>
      <section class="card" aria-labelledby="new">
        <h2 id="new">Create a snippet</h2>
        <form method="post" action="${path}">
          ${csrfField(csrf)}
          <fieldset class="options">
            <legend class="hidden">Kind</legend>
            ${EMBED_KINDS.map(
              (kind, at) =>
                html`<label class="option">
                  <input type="radio" name="kind" value="${kind}"${at === 0 && html` checked`}> <span>
                    <strong>${KINDS()[kind].name}</strong> <span class="hint">${KINDS()[kind].description}</span>
                  </span>
                </label>`,
            )}
          </fieldset>
          ${collectorField(collectors)}
          <button class="primary">Create snippet</button>
        </form>
      </section>
      ${embeds.length > 0 && html`<ul class="cards">${embeds.map((embed) => embedCard(request, embed))}</ul>`}
      ${pager({ number: page.number, total, size: PAGE_SIZE, path: (number) => pathWith(path, { page: number }) })}`,
  })
}

/** Renders the field that selects a collector if the survey has several collectors. */
const collectorField = (collectors: readonly CollectorSummary[]): Html | false =>
  collectors.length > 1 &&
  select({
    name: 'collector',
    label: t('Collector'),
    hint: t('Responses from this snippet are recorded under this collector.'),
    options: collectors.map(({ id, name, isDefault }) => ({ value: isDefault ? '' : id, label: name })),
  })

function embedCard({ context, root, csrf }: SurveyRequest, embed: Embed): Html {
  const { id, kind, collector, createdAt } = embed
  const { html: snippet, address } = renderEmbed(embed, context.services)
  const { name } = KINDS()[kind]
  return html`<li class="card">
    <div class="line">
      <h2>${name}</h2>
      <span class="soft">
        Created ${dateTag(createdAt)}
        ${collector && t(', collector “{name}”', { name: collector.unwrap().name })}
      </span>
    </div>
    <label class="hidden" for="snippet-${id}">Snippet ${id}, ${name}</label>
    <textarea class="box code snippet" id="snippet-${id}" rows="4" readonly spellcheck="false">${snippet}</textarea>
    <div class="row-actions">
      <button type="button" class="small" data-copy="snippet-${id}" aria-label="Copy snippet ${id}" hidden>Copy</button>
      <a class="button small quiet" href="${address}" aria-label="View survey of snippet ${id}">View survey</a>
      <form method="post" action="${root}embeds/${id}/delete/">
        ${csrfField(csrf)}
        <button class="small quiet danger" aria-label="Delete snippet ${id}">Delete</button>
      </form>
    </div>
  </li>`
}

export async function submitNewEmbed(request: SurveyRequest): Promise<PageResult> {
  const { form, survey, root } = request
  const kind = EMBED_KINDS.find((one) => one === formValue(form, 'kind'))
  if (!kind)
    throw problems.invalidField('kind', 'invalid_value', {}, detail('one_of', { values: EMBED_KINDS.join(', ') }))
  const collector = parseId(formValue(form, 'collector')) || undefined
  const { id } = await request.write((context) => createEmbed(context, { survey: survey.id, kind, collector }))
  request.flash(t('Snippet created. Copy it below.'))
  return { redirect: `${root}embeds/?page=${await lastPage(request)}#snippet-${id}` }
}

/** Returns the number of the last page of the list, which has the newest embeds. */
async function lastPage({ context, survey }: SurveyRequest): Promise<number> {
  const { total } = await listEmbeds(context, { offset: 0, limit: 1 }, survey.id)
  return Math.max(Math.ceil(total / PAGE_SIZE), 1)
}

/** Deletes an embed. The survey stays visible on websites that already contain the HTML code of the embed. */
export async function removeEmbed(request: SurveyRequest): Promise<PageResult> {
  const { survey, params, root } = request
  const id = parseId(params.embed)
  await request.write(async (context) => {
    if ((await findEmbed(context, id)).survey.id !== survey.id) throw problems.embedNotFound()
    await deleteEmbed(context, id)
  })
  request.flash(t('Snippet deleted. Copies on websites keep working.'))
  return { redirect: `${root}embeds/` }
}
