import { shareReports, sharingPasswordOf } from '../../../domain/report/commands.ts'
import { listReports } from '../../../domain/report/queries.ts'
import { sharedReportUrl } from '../../../domain/report/shared.ts'
import { findSurvey } from '../../../domain/survey/queries.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { type FieldErrorTexts, type FormErrors, field } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { formPage, rejectedPage } from '../../forms/form-page.ts'
import { t } from '../../i18n/t.ts'
import { dateTag } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { CROSS_TABLE_PATH } from '../../report/cross-table.ts'
import { GROUPS_PATH } from '../../report/groups.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { ALL_ANSWERS, reportsPath } from './frame.ts'

/**
 * Lists the reports on a survey. Also shows the password with which people who have no account can open the reports.
 */
export const showReports = (request: SurveyRequest): Promise<PageResult> => reportsPage(request)

async function reportsPage(
  request: SurveyRequest,
  rejected?: { errors: FieldErrorTexts; password: string },
): Promise<PageResult> {
  const { context, survey } = request
  const listPath = reportsPath(request)
  const [{ reports }, entity] = [await listReports(context, survey.id), await findSurvey(context, survey.id, 'Report')]
  const password = sharingPasswordOf(context.services, entity)
  const mayChange = request.may('Correct')
  const rows = reports.map(({ id, title, createdAt }) => {
    const shared = password && sharedReportUrl(context.services, id)
    return html`<li>
      <div>
        <a href="${listPath}${id}/">${title}</a>
        <p class="soft">
          Created ${dateTag(createdAt)}
          ${shared ? html`, shared at <a class="address" href="${shared}">${shared}</a>` : t(', not shared')}
        </p>
      </div>
      ${
        mayChange &&
        html`<p class="row-actions">
          <a class="button quiet small" href="${listPath}${id}/edit/" aria-label="Edit ${title}">Edit</a>
          <a class="button quiet danger small" href="${listPath}${id}/delete/" aria-label="Delete ${title}">Delete…</a>
        </p>`
      }
    </li>`
  })
  return request.render({
    title: t('Reports'),
    action: html`
      ${request.may('View') && html`<a class="button plain" href="${listPath}weights/">Weights</a>`}
      ${mayChange && html`<a class="button" href="${listPath}new/">New report</a>`}`,
    content: html`
      <section class="card" aria-labelledby="reports">
        <h2 id="reports">Reports</h2>
        <ul class="rows">
          <li>
            <div>
              <a href="${listPath}${ALL_ANSWERS}/">All answers</a>
              <p class="soft">Live results for all questions</p>
            </div>
            <p class="row-actions">
              <a class="button quiet small" href="${listPath}${ALL_ANSWERS}/${CROSS_TABLE_PATH}">Cross-table</a>
              ${
                request.may('View') &&
                html`<a class="button quiet small" href="${listPath}${ALL_ANSWERS}/${GROUPS_PATH}">Compare groups</a>`
              }
            </p>
          </li>
          ${rows}
        </ul>
      </section>
      ${
        mayChange &&
        sharingView(request, rejected?.password ?? password, {
          isShared: password !== '',
          hasReports: reports.length > 0,
          errors: rejected?.errors,
        })
      }`,
  })
}

interface Sharing {
  isShared: boolean
  hasReports: boolean
  errors?: FieldErrorTexts | undefined
}

function sharingView(request: SurveyRequest, value: string, { isShared, hasReports, errors }: Sharing): Html {
  const action = `${reportsPath(request)}sharing/`
  const explanation: Part = isShared
    ? t(
        'Anyone with the link to a report and this password can view the report without an account. If you change the password, the old password stops working.',
      )
    : hasReports
      ? t(
          'Set a password to get a link to each report. People need the link and the password to view a report. They do not need an account.',
        )
      : t('Select “New report” first. You share a report by its link and a password.')
  if (!isShared && !hasReports && !errors)
    return html`<section class="card" aria-labelledby="share">
      <h2 id="share">Sharing</h2>
      <p class="soft">${explanation}</p>
    </section>`
  return html`<section class="card" aria-labelledby="share">
    <h2 id="share">Sharing</h2>
    <p class="soft">${explanation}</p>
    <form method="post" action="${action}">
      ${csrfField(request.csrf)}
      ${field({ name: 'sharing_password', label: t('Password'), value, autocomplete: 'off', required: true, errors })}
      <div class="actions">
        <button${!isShared && html` class="primary"`}>${isShared ? t('Change password') : t('Share reports')}</button>
        ${isShared && html`<a class="button plain danger" href="${action}stop/">Stop sharing…</a>`}
      </div>
    </form>
  </section>`
}

/** Asks for confirmation before the user stops sharing the reports. */
export async function confirmStopSharing(request: SurveyRequest): Promise<PageResult> {
  const { context, survey } = request
  const listPath = reportsPath(request)
  const entity = await findSurvey(context, survey.id, 'Correct')
  if (sharingPasswordOf(context.services, entity) === '') return { redirect: listPath }
  return confirmPage(request, {
    title: t('Stop sharing reports?'),
    beforeHeading: backLink(listPath, t('All reports')),
    text: t(
      'No one can open the reports with the links and the password any more. This includes people who are viewing a report now. To share the reports again, set a new password. The links do not change.',
    ),
    button: t('Stop sharing'),
    action: `${listPath}sharing/`,
    fields: { stop: '1' },
    cancel: { label: t('Cancel'), path: listPath },
  })
}

/** Sets or removes the password of the shared reports. */
export async function saveSharing(request: SurveyRequest): Promise<PageResult> {
  const { form, survey } = request
  const stop = formValue(form, 'stop') !== undefined
  const password = (formValue(form, 'sharing_password') ?? '').trim()
  const view = ({ errors }: Pick<FormErrors, 'errors'>) => reportsPage(request, { errors, password })
  if (!stop && password === '')
    return rejectedPage(await view({ errors: new Map([['sharing_password', t('Enter a password.')]]) }))
  return formPage(request, {
    fields: ['sharing_password'],
    act: (context) => shareReports(context, survey.id, stop ? '' : password),
    view,
    done: () => ({
      redirect: reportsPath(request),
      flash: stop
        ? t('Reports are no longer shared.')
        : t('People with the link to a report and this password can now view the report.'),
    }),
  })
}
