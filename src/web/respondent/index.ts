import type Router from '@koa/router'
import { RETURN } from '../../domain/identity/identity-provider.ts'
import type { PageServices } from '../page.ts'
import { handlePage } from '../page.ts'
import { showResponse, showSurvey } from './show.ts'
import { comeBack } from './sign-in/return.ts'
import { submit } from './submit.ts'

/** The addresses where surveys are taken. */
export function routeTaking(router: Router, deps: PageServices): void {
  const survey = '/surveys/:username/:slug/'
  const response = '/surveys/:username/:slug/:key/'
  router.get(survey, handlePage(deps, 'showSurvey', showSurvey))
  router.post(survey, handlePage(deps, 'submitPage', submit))
  router.get(survey + RETURN, handlePage(deps, 'comeBack', comeBack))
  router.get(response, handlePage(deps, 'showResponse', showResponse))
  router.post(response, handlePage(deps, 'submitPage', submit))
}
