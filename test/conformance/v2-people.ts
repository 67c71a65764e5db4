import type { Section } from './row.ts'

const emails = (test: string) => `api/v2/emails › ${test}`
const lists = (test: string) => `api/v2/contact-lists › ${test}`

/** Version 2: contacts, invite codes, emails and webhooks. */
export const v2People: readonly Section[] = [
  {
    section: '8.3',
    rows: [
      [
        'GET contacts/: offset, limit; custom, contacts, start, total',
        ['v2.listContacts'],
        'api/v2/contacts › listContacts › returns custom, contacts, start',
      ],
      ['GET contacts/: search', ['v2.listContacts'], 'api/v2/contacts › listContacts › search'],
      [
        'GET contacts/: survey or collector adds status, never both',
        ['v2.listContacts'],
        'api/v2/contacts › listContacts › adds status for a',
      ],
      [
        'POST contacts/: name, email, custom_<name>',
        ['v2.createContact'],
        'api/v2/contacts › createContact › stores name, email and',
      ],
      ['GET contacts/<id>/', ['v2.getContact'], 'api/v2/contacts › getContact'],
      ['DELETE contacts/<id>/', ['v2.deleteContact'], 'api/v2/contacts › deleteContact'],
    ],
  },
  {
    section: '8.6',
    rows: [
      ['GET contact-lists/: offset, limit', ['v2.listContactLists'], lists('listContactLists')],
      ['POST contact-lists/: name', ['v2.createContactList'], lists('createContactList')],
      ['GET contact-lists/<id>/', ['v2.getContactList'], lists('getContactList')],
      ['GET contact-lists/<id>/contacts/', ['v2.listContactListContacts'], lists('listContactListContacts')],
      [
        'POST …/contacts/: form contact_list',
        ['v2.addContactListContacts'],
        lists('addContactListContacts › adds the contacts of the'),
      ],
      [
        'POST …/contacts/: multipart contacts',
        ['v2.addContactListContacts'],
        lists('addContactListContacts › adds the contacts given'),
        lists('addContactListContacts › adds the contacts of a'),
      ],
      [
        'POST …/contacts/: as contact creation',
        ['v2.addContactListContacts'],
        lists('addContactListContacts › creates and adds a'),
      ],
      ['DELETE …/contacts/', ['v2.removeContactListContacts'], lists('removeContactListContacts')],
    ],
  },
  {
    section: '9.2',
    rows: [
      [
        'POST invite-codes/: count, collector',
        ['v2.createInviteCodes'],
        'api/v2/invite-codes › createInviteCodes › returns count and invites',
      ],
      [
        'count from 1 to 1000',
        ['v2.createInviteCodes'],
        'api/v2/invite-codes › createInviteCodes › returns 400 for the',
      ],
      [
        'GET invite-codes/: offset, limit',
        ['v2.listInviteCodes'],
        'api/v2/invite-codes › listInviteCodes › uses offset 0 and',
      ],
      [
        'status Viewed, Completed; the response',
        ['v2.listInviteCodes', 'page'],
        'web/respondent/invite-code › an invite code › has the status Viewed',
      ],
    ],
  },
  {
    section: '9.1',
    rows: [
      [
        'one invite code per contact per survey, per collector',
        ['page'],
        'web/respondent/invite-code › an invite code › creates one response',
      ],
    ],
  },
  {
    section: '9.6',
    rows: [['(new), POST emails/?survey= → created', ['v2.createEmail'], emails('createEmail › creates a draft with')]],
  },
  {
    section: '9.4',
    rows: [['a message without [Invite Link]', ['v2.createEmail'], emails('createEmail › returns 400 for an')]],
  },
  {
    section: '9.6',
    rows: [['GET emails/<id>/', ['v2.getEmail'], emails('createEmail › creates a draft with')]],
  },
  {
    section: '9.5',
    rows: [['scheduled, DELETE emails/<id>/ → removed', ['v2.deleteEmail'], emails('deleteEmail')]],
  },
  {
    section: '9.6',
    rows: [
      [
        'recipients/: GET, POST, DELETE',
        ['v2.listEmailRecipients', 'v2.addEmailRecipients', 'v2.removeEmailRecipients'],
        emails('addEmailRecipients, listEmailRecipients, removeEmailRecipients › adds contacts, a contact'),
      ],
      [
        'created, POST send/ → scheduled',
        ['v2.sendEmail'],
        emails('sendEmail › changes the status from draft'),
        'api/v2/emails-example › the email workflow creates',
      ],
      [
        'scheduled: a sum of numbers with w, d, h, m',
        ['v2.sendEmail'],
        emails('sendEmail › delays the email by'),
        'domain/email/schedule › delayOf',
      ],
    ],
  },
  {
    section: '9.5',
    rows: [['scheduled → sent', ['v2.sendEmail'], emails('sendEmail › changes the status from draft')]],
  },
  {
    section: '9.6',
    rows: [
      [
        'POST reminder/: subject, message',
        ['v2.remindEmail'],
        'api/v2/emails-reminder › remindEmail › reminds only recipients without',
      ],
    ],
  },
  {
    section: '11.2',
    rows: [['GET webhooks/: webhooks, total', ['v2.listWebhooks'], 'api/v2/webhooks › listWebhooks']],
  },
  {
    section: '11.1',
    rows: [
      [
        '(none), POST subscribe/, not yet used → active, 201',
        ['v2.subscribeWebhook'],
        'api/v2/webhooks › subscribeWebhook › creates an active webhook',
      ],
      [
        '(none), POST subscribe/, already used → unchanged, 409',
        ['v2.subscribeWebhook'],
        'api/v2/webhooks › subscribeWebhook › returns 409 for a',
      ],
      [
        'active, POST unsubscribe/ → removed, 200',
        ['v2.unsubscribeWebhook'],
        'api/v2/webhooks › unsubscribeWebhook › removes an active webhook',
      ],
      [
        'active, a callback answered with 410 → removed',
        ['event'],
        'worker/deliveries › status 410 from a subscriber › deletes',
      ],
    ],
  },
]
