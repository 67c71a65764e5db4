import type Router from '@koa/router'
import { RETURN } from '../../domain/identity/identity-provider.ts'
import type { PageDeps } from '../page.ts'
import { serve } from '../page.ts'
import { showResponse, showSurvey } from './show.ts'
import { comeBack } from './sign-in/return.ts'
import { submit } from './submit.ts'

/** The addresses where surveys are taken. */
export function routeTaking(router: Router, deps: PageDeps): void {
  const survey = '/surveys/:username/:slug/'
  const response = '/surveys/:username/:slug/:key/'
  router.get(survey, serve(deps, 'showSurvey', showSurvey))
  router.post(survey, serve(deps, 'submitPage', submit))
  router.get(survey + RETURN, serve(deps, 'comeBack', comeBack))
  router.get(response, serve(deps, 'showResponse', showResponse))
  router.post(response, serve(deps, 'submitPage', submit))
}
