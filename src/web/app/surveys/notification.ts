import {
  deleteNotification,
  findNotification,
  type NotificationFrequency,
  setNotification,
  subscriptionOf,
} from '../../../domain/notification/subscription.ts'
import { problems } from '../../../domain/problem.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { denyFraming } from '../../csp.ts'
import { csrfField } from '../../csrf.ts'
import { formValue } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import { authPage } from '../../layout/document.ts'
import type { PageRequest, PageResult } from '../../page.ts'
import { type SurveyRequest, surveyRoot } from './survey-page.ts'

const choicesIn = (zone: string | null): readonly { value: NotificationFrequency; label: string; hint: Part }[] => [
  { value: 'off', label: t('Off'), hint: '' },
  {
    value: 'immediate',
    label: t('Immediately'),
    hint: t('At most one email every 10 minutes. In an anonymous survey, at most one email an hour, on the hour.'),
  },
  {
    value: 'daily',
    label: t('Daily'),
    hint: html`Every day at 07:00 (${zone?.replaceAll('_', ' ') ?? 'UTC'}, <a href="/account/#locale">change</a>)`,
  },
]

/** Renders the form in which users choose how often they get an email about new responses. */
export async function notificationSection({ context, survey, root, csrf, session }: SurveyRequest): Promise<Html> {
  const current = await findNotification(context, survey.id)
  return html`<section class="card" aria-labelledby="notifications">
    <h2 id="notifications">Notifications</h2>
    <p class="soft">
      We send the number of new complete responses to ${context.actor.email}. The emails contain no answers.
    </p>
    <form method="post" action="${root}notification/">
      ${csrfField(csrf)}
      <fieldset class="options">
        <legend class="hidden">Email about new responses</legend>
        ${choicesIn(session.locale.timeZone).map(
          ({ value, label, hint }) =>
            html`<label class="option">
              <input type="radio" name="frequency" value="${value}"${value === current && html` checked`}> <span>
                <strong>${label}</strong>
                ${hint && html` <span class="hint">${hint}</span>`}
              </span>
            </label>`,
        )}
      </fieldset>
      <button>Save notifications</button>
    </form>
  </section>`
}

/**
 * Saves how often the user gets an email about new responses.
 * @throws {Problem} `invalid_request` for a value that the form does not offer
 */
export async function saveNotification(request: SurveyRequest): Promise<PageResult> {
  const { survey, root, form } = request
  const chosen = choicesIn(null).find(({ value }) => value === formValue(form, 'frequency'))?.value
  if (!chosen) throw problems.invalidField('frequency', 'invalid_value')
  await request.write((context) => setNotification(context, survey.id, chosen))
  request.flash(chosen === 'off' ? t('Notifications are off.') : t('Notifications saved.'))
  return { redirect: `${root}#notifications` }
}

/**
 * Shows the confirmation form. Opening the link does not yet stop the emails, because email scanners open links too.
 * Email scanners do not submit forms.
 */
export async function showStopNotification({ ctx, context, params }: PageRequest): Promise<PageResult> {
  denyFraming(ctx)
  subscriptionOf(context.services, params.token ?? '')
  return {
    page: authPage(
      t('Turn off notifications?'),
      html`
        <p>You will get no more emails about new responses to this survey.</p>
        <form method="post"><div class="actions"><button class="primary">Turn off</button></div></form>`,
    ),
  }
}

/**
 * Stops the emails about new responses. Handles the button of the page, and the unsubscribe button of mail programs
 * (one-click, RFC 8058).
 */
export async function stopNotification({ ctx, context, params }: PageRequest): Promise<PageResult> {
  denyFraming(ctx)
  const { survey, account } = subscriptionOf(context.services, params.token ?? '')
  await deleteNotification(context, survey, account)
  return {
    page: authPage(
      t('Notifications are off'),
      html`
        <p>You can turn them on again in the overview of the survey.</p>
        <p><a class="button" href="${surveyRoot(survey)}">Go to the survey</a></p>`,
    ),
  }
}
