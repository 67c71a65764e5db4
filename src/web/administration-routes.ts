import { showBackups, submitBackup } from './app/administration/backups.ts'
import type { Part } from './app/administration/frame.ts'
import {
  showHealth,
  showInstallation,
  showServerSettings,
  submitHealthCheck,
} from './app/administration/installation.ts'
import { showJobs, submitJobRetry } from './app/administration/jobs.ts'
import { showMail, submitEmailAgain, submitMailTest } from './app/administration/mail.ts'
import { showStorage } from './app/administration/storage.ts'
import {
  confirmUserAction,
  makePasswordLink,
  savePlan,
  showUser,
  showUserHandOver,
  submitUserAction,
  submitUserHandOver,
} from './app/administration/user.ts'
import { showNewUser, showUsers, submitNewUser } from './app/administration/users.ts'
import { downloadInstallationActivity, showInstallationActivity } from './app/people/activity.ts'
import type { Route } from './routes.ts'
import type { SignedInPage } from './session.ts'

/** Pages for administrators: method, path, part of the administration, page. For others, they do not exist. */
export const administrationRoutes: readonly Route<SignedInPage, [Part]>[] = [
  ['GET', '/administration/', 'installation', showInstallation],
  ['GET', '/administration/users/', 'users', showUsers],
  ['GET', '/administration/users/new/', 'users', showNewUser],
  ['POST', '/administration/users/new/', 'users', submitNewUser],
  ['GET', '/administration/users/:user/', 'users', showUser],
  ['POST', '/administration/users/:user/plan/', 'users', savePlan],
  ['POST', '/administration/users/:user/password/', 'users', makePasswordLink],
  ['GET', '/administration/users/:user/hand-over/', 'users', showUserHandOver],
  ['POST', '/administration/users/:user/hand-over/', 'users', submitUserHandOver],
  ['GET', '/administration/users/:user/:action/', 'users', confirmUserAction],
  ['POST', '/administration/users/:user/:action/', 'users', submitUserAction],
  ['GET', '/administration/mail/', 'mail', showMail],
  ['POST', '/administration/mail/test/', 'mail', submitMailTest],
  ['POST', '/administration/mail/:email/', 'mail', submitEmailAgain],
  ['GET', '/administration/jobs/', 'jobs', showJobs],
  ['POST', '/administration/jobs/:job/', 'jobs', submitJobRetry],
  ['GET', '/administration/storage/', 'storage', showStorage],
  ['GET', '/administration/backups/', 'backups', showBackups],
  ['POST', '/administration/backups/', 'backups', submitBackup],
  ['GET', '/administration/health/', 'health', showHealth],
  ['POST', '/administration/health/', 'health', submitHealthCheck],
  ['GET', '/administration/settings/', 'settings', showServerSettings],
  ['GET', '/administration/activity/', 'activity', showInstallationActivity],
  ['GET', '/administration/activity/csv/', 'activity', downloadInstallationActivity],
]
