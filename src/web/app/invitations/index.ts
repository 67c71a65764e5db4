import type { AddPage } from '../surveys/index.ts'
import { makeCodes, showCodes } from './codes.ts'
import { saveEmail, showCompose, showEdit, writeEmail } from './compose.ts'
import { askToDeleteEmail, removeEmail } from './delete.ts'
import { showEmail } from './email.ts'
import { showEmails } from './list.ts'
import { showEmailPreview, showPreview } from './preview.ts'
import { addTo, showRecipients, takeOff } from './recipients.ts'
import { askToRemind, sendReminder } from './remind.ts'
import { send, takeBack, tryOut } from './send.ts'

/** Invitations by e-mail, and codes to hand out. */
export function routeInvitations(add: AddPage): void {
  add('get', 'invitations/', 'showEmails', showEmails)
  add('get', 'invitations/codes/', 'showCodes', showCodes)
  add('post', 'invitations/codes/', 'makeCodes', makeCodes)
  add('get', 'invitations/new/', 'showCompose', showCompose)
  add('post', 'invitations/new/', 'writeEmail', writeEmail)
  const one = 'invitations/:email/'
  add('get', one, 'showEmail', showEmail)
  add('get', `${one}edit/`, 'showEdit', showEdit)
  add('post', `${one}edit/`, 'saveEmail', saveEmail)
  add('get', `${one}preview/`, 'showPreview', showPreview)
  add('get', `${one}preview/html/`, 'showLetterPart', showEmailPreview)
  add('get', `${one}recipients/`, 'showRecipients', showRecipients)
  add('post', `${one}recipients/`, 'addRecipients', addTo)
  add('post', `${one}recipients/remove/`, 'removeRecipients', takeOff)
  add('post', `${one}test/`, 'tryOutEmail', tryOut)
  add('post', `${one}send/`, 'sendEmailPage', send)
  add('post', `${one}unschedule/`, 'unscheduleEmail', takeBack)
  add('get', `${one}remind/`, 'askToRemind', askToRemind)
  add('post', `${one}remind/`, 'sendReminder', sendReminder)
  add('get', `${one}delete/`, 'askToDeleteEmail', askToDeleteEmail)
  add('post', `${one}delete/`, 'removeEmail', removeEmail)
}
