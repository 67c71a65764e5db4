import { deleteNotification } from '../../../domain/notification/subscription.ts'
import { subscriptionOf } from '../../../domain/notification/unsubscribe.ts'
import { html } from '../../../lib/html.ts'
import { denyFraming } from '../../csp.ts'
import { t } from '../../i18n/t.ts'
import { authPage } from '../../layout/auth-layout.ts'
import type { PageRequest, PageResult } from '../../page.ts'
import { surveyRoot } from './survey-page.ts'

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
      html`<p>You will get no more emails about new responses to this survey.</p><form method="post"><div class="actions"><button class="primary">Turn off</button></div></form>`,
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
      html`<p>You can turn them on again in the overview of the survey.</p><p><a class="button" href="${surveyRoot(survey)}">Go to the survey</a></p>`,
    ),
  }
}
