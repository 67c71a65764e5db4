import { type EmailSummary, listEmails } from '../../../domain/email/queries.ts'
import { type Html, html } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { pager, pathWith } from '../../layout/pager.ts'
import { pluralize } from '../../layout/pluralize.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/frame.ts'
import { kindsView, pathOf, progressView, rootOf, stateView, whenView } from './view.ts'

const SIZE = 20

/** What one has written to invite to the survey, the newest first. */
export async function showEmails(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, query } = request
  const page = pageOf({ page: Number(query.get('page')) || 1, first: 1, default: SIZE, max: SIZE })
  const { total, emails } = await listEmails(context, survey.id, page)
  const root = rootOf(request)
  return request.render({
    title: 'Invitations',
    action: html`<a class="button" href="${root}new/">New invitation</a>`,
    content: html`${kindsView(request, 'emails')}${
      total === 0
        ? html`<section class="card empty"><h2>No invitations yet</h2>
<p class="soft">Write an email, choose recipients, and send it now or later. Each recipient gets their own link, so you can see who has answered.</p></section>`
        : html`<ul class="cards">${emails.map((email) => emailCard(request, email))}</ul>`
    }${pager({ number: page.number, total, size: SIZE, path: (number) => pathWith(root, { page: number }) })}`,
  })
}

const emailCard = (request: SurveyRequest, email: EmailSummary): Html =>
  html`<li class="card"><div class="line"><h2><a href="${pathOf(request, email)}">${email.subject}</a></h2>${stateView(email, request.context.now)}</div>
<p class="soft">${email.reminderOf !== null && 'Reminder, '}${pluralize(email.recipients, 'recipient')}, ${whenView(email, request.context.now)}</p>
${progressView(email)}</li>`
