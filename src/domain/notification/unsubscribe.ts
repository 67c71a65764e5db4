import { timingSafeEqual } from 'node:crypto'
import { digest } from '../../lib/secrets.ts'
import { problems } from '../problem.ts'
import type { Services } from '../services.ts'

/** A survey and an account that gets emails about its new responses. */
export interface Subscription {
  survey: number
  account: number
}

const signatureOf = ({ secretKey }: Services, { survey, account }: Subscription) =>
  digest(secretKey, `notification ${survey} ${account}`).toString('hex').slice(0, 32)

/**
 * Returns the URL that ends the emails of a subscription. The page requires no session, and the URL cannot be guessed.
 */
export const notificationUnsubscribeUrl = (services: Services, subscription: Subscription): string =>
  `${services.baseUrl}/notifications/${subscription.survey}-${subscription.account}-${signatureOf(services, subscription)}/`

/**
 * Returns the subscription of an unsubscribe link.
 * @throws {Problem} `survey_not_found` for an invalid link
 */
export function subscriptionOf(services: Services, token: string): Subscription {
  const [, survey, account, signature = ''] = /^(\d{1,15})-(\d{1,15})-([0-9a-f]{32})$/.exec(token) ?? []
  const subscription = { survey: Number(survey), account: Number(account) }
  if (!survey || !timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(services, subscription))))
    throw problems.surveyNotFound()
  return subscription
}
