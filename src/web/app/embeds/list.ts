import { EMBED_KINDS, type Embed, type EmbedKind } from '../../../domain/collector/embed.ts'
import { createEmbed, deleteEmbed, findEmbed, listEmbeds, renderEmbed } from '../../../domain/collector/embeds.ts'
import { type CollectorSummary, listCollectors } from '../../../domain/collector/queries.ts'
import { problems } from '../../../domain/problem.ts'
import { type Html, html } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { csrfField } from '../../csrf.ts'
import { formValue } from '../../forms/form-fields.ts'
import { select } from '../../forms/select.ts'
import { pager, pathWith } from '../../layout/pager.ts'
import { dateTag } from '../../layout/time-tag.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/frame.ts'

const SIZE = 20

/** What each kind does, for people. */
const kinds: Readonly<Record<EmbedKind, { name: string; does: string }>> = {
  iframe: { name: 'In the page', does: 'The survey stands in the page, in a frame of its own.' },
  popup: { name: 'Popup', does: 'A button opens the survey over the page.' },
  link: { name: 'Link', does: 'A link leads to the survey.' },
}

/** The snippets of a survey, ready to be copied, and a form for another. */
export async function showEmbeds(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, query, root, csrf } = request
  const page = pageOf({ page: Number(query.get('page')) || 1, first: 1, default: SIZE, max: SIZE })
  const { total, embeds } = await listEmbeds(context, page, survey.id)
  const { collectors } = await listCollectors(context, survey.id)
  const path = `${root}embeds/`
  return request.render({
    title: 'Embeds',
    scripts: ['copy.js'],
    content: html`<p class="soft">Snippets to paste into a page of yours, so that people take the survey there.</p>
<section class="card" aria-labelledby="new"><h2 id="new">Make a snippet</h2><form method="post" action="${path}">${csrfField(csrf)}
<fieldset class="ways"><legend class="hidden">Kind</legend>${EMBED_KINDS.map(
      (kind, at) =>
        html`<label class="way"><input type="radio" name="kind" value="${kind}"${at === 0 && html` checked`}> <span><strong>${kinds[kind].name}</strong> <span class="soft">${kinds[kind].does}</span></span></label>`,
    )}</fieldset>${collectorField(collectors)}<button class="primary">Make it</button></form></section>
${embeds.length > 0 && html`<ul class="cards">${embeds.map((embed) => embedCard(request, embed))}</ul>`}
${pager({ number: page.number, total, size: SIZE, path: (number) => pathWith(path, { page: number }) })}`,
  })
}

/** Only where there is something to choose. */
const collectorField = (collectors: readonly CollectorSummary[]): Html | false =>
  collectors.length > 1 &&
  select({
    name: 'collector',
    label: 'Collector',
    hint: 'By which the answers come in.',
    options: collectors.map(({ id, name, isDefault }) => ({ value: isDefault ? '' : id, label: name })),
  })

function embedCard({ context, root, csrf }: SurveyRequest, embed: Embed): Html {
  const { id, kind, collector, createdAt } = embed
  const { html: snippet, address } = renderEmbed(embed, context.services)
  const { name } = kinds[kind]
  return html`<li class="card"><div class="line"><h2>${name}</h2><span class="soft">made ${dateTag(createdAt)}${collector && `, by “${collector.unwrap().name}”`}</span></div>
<label class="hidden" for="snippet-${id}">Snippet ${id}, ${name}</label><textarea class="box code snippet" id="snippet-${id}" rows="4" readonly spellcheck="false">${snippet}</textarea>
<div class="does"><button type="button" class="small" data-copy="snippet-${id}" aria-label="Copy snippet ${id}" hidden>Copy</button><a class="button small quiet" href="${address}" aria-label="Open the survey of snippet ${id}">Open the survey</a>
<form method="post" action="${root}embeds/${id}/delete/">${csrfField(csrf)}<button class="small quiet" aria-label="Delete snippet ${id}">Delete</button></form></div></li>`
}

export async function submitNewEmbed(request: SurveyRequest): Promise<PageResult> {
  const { form, survey, root } = request
  const kind = EMBED_KINDS.find((known) => known === formValue(form, 'kind'))
  if (!kind) throw problems.invalidField('kind', 'invalid_value', {}, `must be one of ${EMBED_KINDS.join(', ')}`)
  const collector = parseId(formValue(form, 'collector')) || undefined
  const { id } = await request.write((context) => createEmbed(context, { survey: survey.id, kind, collector }))
  request.flash('The snippet is ready to be copied.')
  return { redirect: `${root}embeds/?page=${await lastPage(request)}#snippet-${id}` }
}

/** New ones stand at the end. */
async function lastPage({ context, survey }: SurveyRequest): Promise<number> {
  const { total } = await listEmbeds(context, { offset: 0, limit: 1 }, survey.id)
  return Math.max(Math.ceil(total / SIZE), 1)
}

/** What has been pasted stays there and goes on working. */
export async function removeEmbed(request: SurveyRequest): Promise<PageResult> {
  const { survey, params, root } = request
  const id = parseId(params.embed)
  await request.write(async (context) => {
    if ((await findEmbed(context, id)).survey.id !== survey.id) throw problems.embedNotFound()
    await deleteEmbed(context, id)
  })
  request.flash('It is no longer listed. Where it has been pasted it goes on working.')
  return { redirect: `${root}embeds/` }
}
