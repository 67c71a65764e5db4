import { pluralIn, type Text } from '../text/text.ts'

/** The texts of an email about new responses: `{number}` responses to the survey `{survey}`. */
export interface NotificationTexts {
  subject: Text
  sentence: Text
  response: string
  responses: string
  footer: string
}

const inEnglish = pluralIn('en')
const en: NotificationTexts = {
  subject: inEnglish('n', { one: '{number} new response: {survey}', other: '{number} new responses: {survey}' }),
  sentence: inEnglish('n', {
    one: 'There is {number} new response to the survey “{survey}”.',
    other: 'There are {number} new responses to the survey “{survey}”.',
  }),
  response: 'View the response:',
  responses: 'View all responses:',
  footer: 'You receive this email because you turned on notifications for this survey. Turn them off:',
}

const inGerman = pluralIn('de')
const de: NotificationTexts = {
  subject: inGerman('n', { one: '{number} neue Antwort: {survey}', other: '{number} neue Antworten: {survey}' }),
  sentence: inGerman('n', {
    one: 'Es gibt {number} neue Antwort auf die Umfrage „{survey}“.',
    other: 'Es gibt {number} neue Antworten auf die Umfrage „{survey}“.',
  }),
  response: 'Antwort ansehen:',
  responses: 'Alle Antworten ansehen:',
  footer: 'Sie erhalten diese E-Mail, weil Sie Benachrichtigungen für diese Umfrage eingeschaltet haben. Ausschalten:',
}

/** The texts by language of the account. */
export const notificationTexts: Readonly<Record<string, NotificationTexts>> = { en, de }
