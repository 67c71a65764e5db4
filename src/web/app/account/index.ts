import type Router from '@koa/router'
import { handlePage, type PageServices } from '../../page.ts'
import { FILE, signedIn } from '../../session.ts'
import { cancelEmail, sendEmailConfirmation, showEmailConfirmation } from '../sign-in/confirm-email.ts'
import { sendChoice, sendForgotten, showChoice, showForgotten } from '../sign-in/password-reset.ts'
import { sendSignIn, showSignIn } from '../sign-in/sign-in.ts'
import { signOut } from '../sign-in/sign-out.ts'
import { askToDelete, copySurvey, removeSurvey, showSurveys, switchSurvey, tagSurvey } from '../surveys/list.ts'
import { makeSurvey, showNewSurvey } from '../surveys/new.ts'
import { askToRevokeApplication, limitApplication, revokeApplication } from './authorized-apps.ts'
import { askToDeleteAccount, deleteOwnAccount, exportAll } from './delete.ts'
import { askToRevokeKey, createKey, revokeKey, showKeys } from './keys.ts'
import { endAllSessions, endOneSession, savePassword, saveProfile, showAccount } from './profile.ts'
import { showSecurityLog } from './security.ts'

/** The pages of an account, and the doors to them. */
export function routeAccount(router: Router, deps: PageServices): void {
  router.get('/', (ctx) => ctx.redirect('/account/surveys/'))
  router.get('/accounts/login/', handlePage(deps, 'showSignIn', showSignIn))
  router.post('/accounts/login/', handlePage(deps, 'signIn', sendSignIn))
  router.get('/accounts/password/', handlePage(deps, 'showForgotten', showForgotten))
  router.post('/accounts/password/', handlePage(deps, 'sendForgotten', sendForgotten))
  router.get('/accounts/password/new/', handlePage(deps, 'showChoice', showChoice))
  router.post('/accounts/password/new/', handlePage(deps, 'sendChoice', sendChoice))
  router.get('/accounts/email/', handlePage(deps, 'showEmailConfirmation', showEmailConfirmation))
  router.post('/accounts/email/', handlePage(deps, 'sendEmailConfirmation', sendEmailConfirmation))
  router.post('/accounts/logout/', signedIn(deps, 'signOut', 'account', signOut))
  router.get('/account/', signedIn(deps, 'showAccount', 'account', showAccount))
  router.post('/account/', signedIn(deps, 'saveProfile', 'account', saveProfile))
  router.post('/account/email/cancel/', signedIn(deps, 'cancelEmail', 'account', cancelEmail))
  router.post('/account/password/', signedIn(deps, 'savePassword', 'account', savePassword))
  router.post('/account/sessions/', signedIn(deps, 'endAllSessions', 'account', endAllSessions))
  router.post('/account/sessions/:id/', signedIn(deps, 'endOneSession', 'account', endOneSession))
  router.post('/account/applications/:id/limit/', signedIn(deps, 'limitApplication', 'account', limitApplication))
  router.get(
    '/account/applications/:id/revoke/',
    signedIn(deps, 'askToRevokeApplication', 'account', askToRevokeApplication),
  )
  router.post('/account/applications/:id/revoke/', signedIn(deps, 'revokeApplication', 'account', revokeApplication))
  router.get('/account/security/', signedIn(deps, 'showSecurityLog', 'account', showSecurityLog))
  router.get('/account/export/', signedIn(deps, 'exportAccount', 'account', exportAll))
  router.get('/account/delete/', signedIn(deps, 'askToDeleteAccount', 'account', askToDeleteAccount))
  router.post('/account/delete/', signedIn(deps, 'deleteAccount', 'account', deleteOwnAccount))
  router.get('/account/keys/', signedIn(deps, 'showKeys', 'keys', showKeys))
  router.post('/account/keys/', signedIn(deps, 'createKey', 'keys', createKey))
  router.get('/account/keys/:id/revoke/', signedIn(deps, 'askToRevokeKey', 'keys', askToRevokeKey))
  router.post('/account/keys/:id/revoke/', signedIn(deps, 'revokeKey', 'keys', revokeKey))
  const surveys = '/account/surveys/'
  const desk = (operation: string, page: Parameters<typeof signedIn>[3], largest?: number) =>
    signedIn(deps, operation, 'surveys', page, largest)
  router.get(surveys, desk('showSurveys', showSurveys))
  router.get(`${surveys}new/`, desk('showNewSurvey', showNewSurvey))
  router.post(`${surveys}new/`, desk('makeSurvey', makeSurvey, FILE))
  router.post(`${surveys}:id/live/`, desk('switchSurvey', switchSurvey))
  router.post(`${surveys}:id/tags/`, desk('tagSurvey', tagSurvey))
  router.post(`${surveys}:id/duplicate/`, desk('copySurvey', copySurvey))
  router.get(`${surveys}:id/delete/`, desk('askToDelete', askToDelete))
  router.post(`${surveys}:id/delete/`, desk('removeSurvey', removeSurvey))
}
