import type Router from '@koa/router'
import type { PageServices } from '../../page.ts'
import { signedIn } from '../../session.ts'
import type { AddPage } from '../surveys/index.ts'
import { askToRemoveWebhook, removeWebhook } from './delete.ts'
import { redeliverOne, showDelivery } from './delivery.ts'
import { showWebhooks } from './list.ts'
import { showSubscribe, subscribeTo } from './new.ts'
import { sendSample } from './ping.ts'
import { askForNewSecret, newSecret } from './rotate-secret.ts'
import type { WebhookPage } from './scope.ts'
import { showWebhook } from './show.ts'

const pages: readonly (readonly ['get' | 'post', path: string, operation: string, page: WebhookPage])[] = [
  ['get', '', 'showWebhooks', showWebhooks],
  ['get', 'new/', 'showSubscribe', showSubscribe],
  ['post', 'new/', 'subscribeTo', subscribeTo],
  ['get', ':webhook/', 'showWebhook', showWebhook],
  ['post', ':webhook/ping/', 'sendSample', sendSample],
  ['get', ':webhook/rotate/', 'askForNewSecret', askForNewSecret],
  ['post', ':webhook/rotate/', 'newSecret', newSecret],
  ['get', ':webhook/delete/', 'askToRemoveWebhook', askToRemoveWebhook],
  ['post', ':webhook/delete/', 'removeWebhook', removeWebhook],
  ['get', ':webhook/deliveries/:delivery/', 'showDelivery', showDelivery],
  ['post', ':webhook/deliveries/:delivery/', 'redeliverOne', redeliverOne],
]

/** The webhooks of an account. */
export function routeWebhooks(router: Router, deps: PageServices): void {
  const place = { path: '/account/webhooks/' }
  for (const [method, path, operation, page] of pages)
    router[method](
      `${place.path}${path}`,
      signedIn(deps, operation, 'webhooks', (request) => page(request, place)),
    )
}

/** Those that tell of one survey. */
export function routeSurveyWebhooks(add: AddPage): void {
  for (const [method, path, operation, page] of pages)
    add(method, `webhooks/${path}`, operation, (request) =>
      page(request, { path: `${request.root}webhooks/`, survey: request.survey }),
    )
}
