import { INVITE_LINK, UNSUBSCRIBE_LINK } from './tokens.ts'

/** Texts of the service in emails to respondents. */
export interface MailWords {
  /** Footer of a message without an unsubscribe link. */
  footer: string
  /** Label of the button that opens the survey. */
  button: string
  /** Prefix of the subject of a reminder. */
  reminder: string
  /** Default text of a reminder. */
  reminderText: string
}

const words = (
  button: string,
  footer: string,
  reminder: string,
  ...reminderText: [string, string, string]
): MailWords => {
  const [greeting, request, thanks] = reminderText
  return {
    button,
    footer: `${footer} ${UNSUBSCRIBE_LINK}`,
    reminder,
    reminderText: `${greeting}\n\n${request}\n\n${INVITE_LINK}\n\n${thanks}`,
  }
}

const en = words(
  'Take the survey',
  'You received this email because you were invited to a survey. Unsubscribe:',
  'Reminder',
  'Hi [Full Name],',
  'A few days ago, we invited you to take part in a survey. If you have not answered yet, there is still time:',
  'Thank you!',
)

/** Texts by language code. */
export const mailWords: Readonly<Record<string, MailWords>> = {
  en,
  fr: words(
    'Répondre au questionnaire',
    'Vous recevez cet e-mail car vous avez été invité à répondre à un questionnaire. Se désabonner :',
    'Rappel',
    'Bonjour [Full Name],',
    'il y a quelques jours, nous vous avons invité à répondre à un questionnaire. Si vous n’en avez pas encore trouvé le temps, vos réponses sont toujours les bienvenues :',
    'Merci !',
  ),
  de: words(
    'Zur Umfrage',
    'Sie erhalten diese E-Mail, weil Sie zu einer Umfrage eingeladen wurden. Abmelden:',
    'Erinnerung',
    'Guten Tag [Full Name],',
    'vor einigen Tagen haben wir Sie zu einer Umfrage eingeladen. Falls Sie noch keine Zeit dafür hatten: Ihre Antworten sind nach wie vor willkommen.',
    'Vielen Dank!',
  ),
  es: words(
    'Responder a la encuesta',
    'Recibe este correo porque ha sido invitado a una encuesta. Cancelar la suscripción:',
    'Recordatorio',
    'Hola, [Full Name]:',
    'hace unos días le invitamos a participar en una encuesta. Si todavía no ha encontrado el momento, sus respuestas siguen siendo bienvenidas:',
    '¡Gracias!',
  ),
  it: words(
    'Partecipa al sondaggio',
    'Riceve questa e-mail perché è stato invitato a un sondaggio. Annulla l’iscrizione:',
    'Promemoria',
    'Buongiorno [Full Name],',
    'qualche giorno fa l’abbiamo invitata a partecipare a un sondaggio. Se non ha ancora trovato il tempo, le sue risposte sono sempre benvenute:',
    'Grazie!',
  ),
  nl: words(
    'Naar de enquête',
    'U ontvangt deze e-mail omdat u bent uitgenodigd voor een enquête. Afmelden:',
    'Herinnering',
    'Hallo [Full Name],',
    'enkele dagen geleden hebben wij u uitgenodigd voor een enquête. Als u er nog geen tijd voor had: uw antwoorden zijn nog steeds welkom.',
    'Dank u wel!',
  ),
  pt: words(
    'Responder ao inquérito',
    'Recebe este e-mail porque foi convidado para um inquérito. Cancelar a subscrição:',
    'Lembrete',
    'Olá, [Full Name]:',
    'há alguns dias convidámo-lo a participar num inquérito. Se ainda não encontrou tempo, as suas respostas continuam a ser bem-vindas:',
    'Obrigado!',
  ),
}

/**
 * Returns the texts for a language (`fr-CA` uses `fr`) and the language of these texts: English if there is no
 * translation.
 */
export function mailWordsFor(code: string): { language: string; words: MailWords } {
  const language = code.toLowerCase().split(/[-_]/, 1)[0]!
  return Object.hasOwn(mailWords, language) ? { language, words: mailWords[language]! } : { language: 'en', words: en }
}
