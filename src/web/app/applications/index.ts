import type Router from '@koa/router'
import type { PageResult, PageServices } from '../../page.ts'
import { type SignedInRequest, signedIn } from '../../session.ts'
import { askForSecret, askToDelete, makeSecret, removeApplication, saveApplication, showApplication } from './edit.ts'
import { sendRegistration, showApplications, showRegistration } from './list.ts'

/** The pages on which developers register applications (specification, "Authentication" 2). */
export function routeDeveloper(router: Router, deps: PageServices): void {
  const yours = (name: string, page: (request: SignedInRequest) => Promise<PageResult>) =>
    signedIn(deps, name, 'keys', page)
  router.get('/accounts/developer/', yours('showApplications', showApplications))
  router.post('/accounts/developer/', yours('sendRegistration', sendRegistration))
  router.get('/accounts/developer/new/', yours('showRegistration', showRegistration))
  router.get('/accounts/developer/:id/', yours('showApplication', showApplication))
  router.post('/accounts/developer/:id/', yours('saveApplication', saveApplication))
  router.get('/accounts/developer/:id/secret/', yours('askForSecret', askForSecret))
  router.post('/accounts/developer/:id/secret/', yours('makeSecret', makeSecret))
  router.get('/accounts/developer/:id/delete/', yours('askToDelete', askToDelete))
  router.post('/accounts/developer/:id/delete/', yours('removeApplication', removeApplication))
}
