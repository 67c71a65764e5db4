import type { Section } from './row.ts'

/** Emails of a survey, in version 3 only. */
const invitations: Section = {
  section: '9.3',
  rows: [
    [
      'Emails of a survey: automatic reminders, funnel',
      ['v3.listSurveyEmails', 'v3.getSurveyEmail', 'v3.updateSurveyEmail'],
      'worker/reminders › automatic reminders › are sent after the set number of days, at most as often as set, and only to people who',
      'worker/reminders › automatic reminders › are sent once by several servers',
      'worker/reminders › automatic reminders › end when the survey is closed',
      'worker/reminders › updateSurveyEmail › starts, changes and stops reminders of an email that was sent',
    ],
  ],
}

/** Emails to users about new responses, in version 3 only. */
const notifications: Section = {
  section: '5.15',
  rows: [
    [
      'Notifications: each user sets a frequency of their own, with the role Analyze',
      ['v3.getNotification', 'v3.updateNotification'],
      'api/v3/notifications › getNotification › returns off until the user turns notifications on',
      'api/v3/notifications › updateNotification › changes only the notifications of the caller',
    ],
    [
      'Emails: at most one in ten minutes, or daily at 07:00; the number of complete responses, and no answers',
      ['event'],
      'worker/notifications › an immediate notification › is sent at most every ten minutes, and counts all responses since the last email',
      'worker/notifications › an immediate notification › contains the survey and links, and no answers',
      'worker/notifications › a daily notification › is sent at 07:00 in the time zone of the account',
      'worker/notifications › a notification of an anonymous survey › is sent on the hour',
    ],
    [
      'Emails end with the access to the responses, and by one click',
      ['event', 'page'],
      'worker/notifications › notifications end › by one click in the mail program',
      'worker/notifications › notifications end › when a member loses the role Analyze or leaves the group',
      'worker/notifications › notifications end › when the survey or the account is deleted',
    ],
  ],
}

export const emails: readonly Section[] = [invitations, notifications]
