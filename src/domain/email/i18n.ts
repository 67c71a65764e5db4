import { INVITE_LINK, UNSUBSCRIBE_LINK } from './tokens.ts'

/** What the service itself says in an e-mail to respondents. */
export interface MailWords {
  /** Below a message that offers no way out of itself. */
  footer: string
  /** On the button that leads to the survey. */
  button: string
  /** Before the subject of the e-mail that a reminder reminds of. */
  reminder: string
  /** What a reminder says when its sender has no words of their own. */
  reminding: string
}

const words = (button: string, footer: string, reminder: string, ...reminding: [string, string, string]): MailWords => {
  const [greeting, request, thanks] = reminding
  return {
    button,
    footer: `${footer} ${UNSUBSCRIBE_LINK}`,
    reminder,
    reminding: `${greeting}\n\n${request}\n\n${INVITE_LINK}\n\n${thanks}`,
  }
}

const en = words(
  'Take the survey',
  'You receive this message because somebody invited you to a survey. No more of these:',
  'Reminder',
  'Hello [Full Name],',
  'some days ago we asked you to take part in a survey. If you have not found the time yet, your answers are still very welcome:',
  'Thank you!',
)

/** By the code of the language. */
export const mailWords: Readonly<Record<string, MailWords>> = {
  en,
  fr: words(
    'Répondre au questionnaire',
    'Vous recevez ce message parce que quelqu’un vous a invité à répondre à un questionnaire. Pour ne plus en recevoir :',
    'Rappel',
    'Bonjour [Full Name],',
    'il y a quelques jours, nous vous avons invité à répondre à un questionnaire. Si vous n’en avez pas encore trouvé le temps, vos réponses sont toujours les bienvenues :',
    'Merci !',
  ),
  de: words(
    'Zur Umfrage',
    'Sie erhalten diese Nachricht, weil jemand Sie zu einer Umfrage eingeladen hat. Keine weiteren Nachrichten:',
    'Erinnerung',
    'Guten Tag [Full Name],',
    'vor einigen Tagen haben wir Sie zu einer Umfrage eingeladen. Falls Sie noch keine Zeit dafür hatten: Ihre Antworten sind nach wie vor willkommen.',
    'Vielen Dank!',
  ),
  es: words(
    'Responder a la encuesta',
    'Recibe este mensaje porque alguien le ha invitado a una encuesta. Para no recibir más:',
    'Recordatorio',
    'Hola, [Full Name]:',
    'hace unos días le invitamos a participar en una encuesta. Si todavía no ha encontrado el momento, sus respuestas siguen siendo bienvenidas:',
    '¡Gracias!',
  ),
  it: words(
    'Partecipa al sondaggio',
    'Riceve questo messaggio perché qualcuno l’ha invitata a un sondaggio. Per non riceverne altri:',
    'Promemoria',
    'Buongiorno [Full Name],',
    'qualche giorno fa l’abbiamo invitata a partecipare a un sondaggio. Se non ha ancora trovato il tempo, le sue risposte sono sempre benvenute:',
    'Grazie!',
  ),
  nl: words(
    'Naar de enquête',
    'U ontvangt dit bericht omdat iemand u heeft uitgenodigd voor een enquête. Geen berichten meer ontvangen:',
    'Herinnering',
    'Hallo [Full Name],',
    'enkele dagen geleden hebben wij u uitgenodigd voor een enquête. Als u er nog geen tijd voor had: uw antwoorden zijn nog steeds welkom.',
    'Dank u wel!',
  ),
  pt: words(
    'Responder ao inquérito',
    'Recebe esta mensagem porque alguém o convidou para um inquérito. Para não receber mais:',
    'Lembrete',
    'Olá, [Full Name]:',
    'há alguns dias convidámo-lo a participar num inquérito. Se ainda não encontrou tempo, as suas respostas continuam a ser bem-vindas:',
    'Obrigado!',
  ),
}

/** Our words for a survey in some language (`fr-CA` has those of `fr`), and their language: English where we do not speak it. */
export function mailWordsFor(code: string): { language: string; words: MailWords } {
  const language = code.toLowerCase().split(/[-_]/, 1)[0]!
  return Object.hasOwn(mailWords, language) ? { language, words: mailWords[language]! } : { language: 'en', words: en }
}
