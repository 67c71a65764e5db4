import {
  type DeletedSurvey,
  eraseSurvey,
  findDeletedSurvey,
  listDeletedSurveys,
  restoreSurvey,
  TRASH_DAYS,
} from '../../../domain/survey/trash.ts'
import { type Html, html } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { csrfField } from '../../csrf.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { t } from '../../i18n/t.ts'
import { dateTag, pluralize } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'

const LIST = '/account/surveys/'
export const TRASH_PATH = `${LIST}trash/`
const PAGE_SIZE = 20

/** Lists the deleted surveys of the user that can still be restored. */
export async function showDeletedSurveys(request: SignedInRequest): Promise<PageResult> {
  const number = Number(request.query.get('page')) || 1
  const slice = pageOf({ page: number, first: 1, default: PAGE_SIZE, max: PAGE_SIZE })
  const { total, surveys } = await listDeletedSurveys(request.context, slice)
  const link = (page: number, label: string, rel: string) => html`<a href="?page=${page}" rel="${rel}">${label}</a>`
  return request.render({
    title: t('Deleted surveys'),
    beforeHeading: backLink(LIST, t('All surveys')),
    content: html`
      <p class="soft">
        ${t(
          'Deleted surveys stay here for {days} days, with everything that belongs to them. Then they are erased. Their links lead nowhere, and nobody else gets their addresses.',
          { days: TRASH_DAYS },
        )}
      </p>
      ${
        total === 0
          ? html`<p class="card">No deleted surveys.</p>`
          : html`<section class="card" aria-label="${t('Deleted surveys')}">
            <ul class="rows">${surveys.map((survey) => surveyView(request, survey))}</ul>
          </section>`
      }
      <nav aria-label="Pages" class="pager">
        ${number > 1 && link(number - 1, t('Newer'), 'prev')}
        ${slice.offset + surveys.length < total && link(number + 1, t('Older'), 'next')}
      </nav>`,
  })
}

function surveyView({ csrf }: SignedInRequest, { id, name, responses, deletedAt, erasedAt }: DeletedSurvey): Html {
  return html`<li>
    <div>
      <strong>${name}</strong>
      <p class="soft">
        ${pluralize(responses, 'response')} · Deleted ${dateTag(deletedAt)}, will be erased ${dateTag(erasedAt)}
      </p>
    </div>
    <div class="row-actions">
      <form method="post" action="${TRASH_PATH}${id}/restore/">
        ${csrfField(csrf)}
        <button class="small" aria-label="${t('Restore {name}', { name })}">Restore</button>
      </form>
      <a class="button quiet danger small" href="${TRASH_PATH}${id}/erase/" aria-label="${t('Erase {name}', { name })}">
        Erase…
      </a>
    </div>
  </li>`
}

export async function restoreDeletedSurvey(request: SignedInRequest): Promise<PageResult> {
  const id = parseId(request.params.id)
  const { name } = await findDeletedSurvey(request.context, id)
  await request.write((context) => restoreSurvey(context, id))
  request.flash(t('“{name}” has been restored.', { name }))
  return { redirect: `${LIST}${id}/` }
}

/** Asks for confirmation before a deleted survey is erased. */
export async function confirmEraseSurvey(request: SignedInRequest): Promise<PageResult> {
  const { name, responses } = await findDeletedSurvey(request.context, parseId(request.params.id))
  return confirmPage(request, {
    title: t('Erase “{name}”?', { name }),
    beforeHeading: backLink(TRASH_PATH, t('Deleted surveys')),
    text: t('This erases the survey with its {responses}, collectors, versions and reports. You cannot undo this.', {
      responses: pluralize(responses, 'response'),
    }),
    button: t('Erase survey'),
    cancel: { label: t('Cancel'), path: TRASH_PATH },
  })
}

export async function eraseDeletedSurvey(request: SignedInRequest): Promise<PageResult> {
  const id = parseId(request.params.id)
  const { name } = await findDeletedSurvey(request.context, id)
  await request.write((context) => eraseSurvey(context, id))
  request.flash(t('“{name}” has been erased.', { name }))
  return { redirect: TRASH_PATH }
}
