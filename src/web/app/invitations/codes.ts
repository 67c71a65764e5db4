import { listCollectors } from '../../../domain/collector/queries.ts'
import { createCodes, MAX_CODES, type NewCode } from '../../../domain/invitation/codes.ts'
import { type InviteSummary, listInvites } from '../../../domain/invitation/queries.ts'
import { type Html, html } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FormErrors, field, select } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import { dateTag, pluralize } from '../../layout/format.ts'
import { pager, pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { invitationsPath, tabsView } from './frame.ts'

const PAGE_SIZE = 50

export const showCodes = (request: SurveyRequest): Promise<PageResult> => codesPage(request, {})

/** Creates invite codes, and shows their links so that users can copy them. */
export async function createInviteCodes(request: SurveyRequest): Promise<PageResult> {
  const { form, survey } = request
  const count = Number(formValue(form, 'count') || Number.NaN)
  const collector = parseId(formValue(form, 'collector')) || undefined
  return formPage(request, {
    fields: ['count'],
    act: (context) => createCodes(context, survey.id, { count, collector }),
    view: (rejected) => codesPage(request, { rejected }),
    done: (created) => codesPage(request, { created }),
  })
}

async function codesPage(
  request: SurveyRequest,
  { created, rejected }: { created?: readonly NewCode[]; rejected?: FormErrors },
): Promise<PageResult> {
  const { context, survey, query, csrf, form } = request
  const page = pageOf({ page: Number(query.get('page')) || 1, first: 1, default: PAGE_SIZE, max: PAGE_SIZE })
  const { total, invites } = await listInvites(context, survey.id, { newestFirst: true }, page)
  const { collectors } = await listCollectors(context, survey.id)
  const path = `${invitationsPath(request)}codes/`
  return request.render({
    title: t('Invite codes'),
    scripts: ['copy.js'],
    content: html`
      ${tabsView(request, 'codes')}
      ${created && newCodesView(created)}
      <section class="card" aria-labelledby="create">
        <h2 id="create">Create codes</h2>
        <p class="soft">
          Each code has its own link, which you can share on paper or in a message. Give each link to one respondent.
        </p>
        ${alert(rejected?.general)}
        <form method="post" action="${path}">
          ${csrfField(csrf)}
          ${field({
            name: 'count',
            label: t('Number of codes'),
            type: 'number',
            value: rejected ? (formValue(form, 'count') ?? '') : '10',
            hint: t('Up to {value} at a time.', { value: MAX_CODES.toLocaleString(pageLanguage()) }),
            required: true,
            errors: rejected?.errors,
          })}
          ${
            collectors.length > 1 &&
            select({
              name: 'collector',
              label: t('Collector'),
              value: String(collectors.find(({ isDefault }) => isDefault)?.id ?? ''),
              options: collectors.map(({ id, name }) => ({ value: id, label: name })),
            })
          }
          <button class="primary">Create codes</button>
        </form>
      </section>
      <section class="card" aria-labelledby="codes">
        <h2 id="codes">${pluralize(total, 'code')}</h2>
        ${
          total === 0
            ? html`<p class="soft">No codes yet. Each person you invite by email gets a code too.</p>`
            : html`<ul class="rows tight">${invites.map(codeRow)}</ul>`
        }
      </section>
      ${pager({ number: page.number, total, size: PAGE_SIZE, path: (number) => pathWith(path, { page: number }) })}`,
  })
}

const newCodesView = (codes: readonly NewCode[]): Html =>
  html`<section class="notice" role="status">
    <p>${pluralize(codes.length, 'code')} created. The links are below, one per line.</p>
    <label class="hidden" for="new-links">New links</label>
    <textarea class="box code" id="new-links" rows="${Math.min(codes.length + 1, 10)}"
        readonly>${codes.map(({ url }) => url).join('\n')}</textarea> <button type="button" class="small"
        data-copy="new-links" hidden>Copy all</button>
  </section>`

const codeRow = ({ id, code, url, status, name, email, viewedAt, completedAt, createdAt }: InviteSummary): Html =>
  html`<li>
    <div class="grow">
      <code id="code-${id}">${url}</code>
      <p class="soft">
        ${name && `${name === email ? name : `${name}, ${email}`}, `}created ${dateTag(createdAt)}
        ${viewedAt && html`, viewed ${dateTag(viewedAt)}`}
        ${completedAt && html`, completed ${dateTag(completedAt)}`}
      </p>
    </div>
    <span class="${status === 'Completed' ? 'tag good' : 'tag'}">${status ? t(status) : t('Unused')}</span>
    <button type="button" class="small" data-copy="code-${id}" aria-label="Copy link with code ${code}" hidden>
      Copy
    </button>
  </li>`
