import { email, is, isBelow, isOneOf, likelihood, page, paragraph, single, t, yesNo } from '../authoring.ts'
import type { GalleryDraft } from '../gallery.ts'
import { SATISFACTION } from '../scales.ts'

const ALL = ['en', 'de', 'es', 'fr', 'it', 'nl', 'pt']

const contactEmail = (condition: Readonly<Record<string, unknown>>) =>
  email(
    'email',
    t(
      'Your email address',
      'Ihre E-Mail-Adresse',
      'Su correo electrónico',
      'Votre adresse e-mail',
      'Il suo indirizzo e-mail',
      'Uw e-mailadres',
      'O seu endereço de e-mail',
    ),
    {
      required: true,
      condition,
    },
  )

export const customerTemplates: readonly GalleryDraft[] = [
  {
    id: 'customer-satisfaction',
    name: 'Customer satisfaction',
    description:
      'For customers after a purchase or a service. Asks how satisfied they are overall, and with quality, value, speed and staff.',
    category: 'Customers',
    languages: ALL,
    structure: {
      title: t(
        'How satisfied are you?',
        'Wie zufrieden sind Sie?',
        '¿Qué tan satisfecho/a está?',
        'Quel est votre niveau de satisfaction ?',
        'Quanto è soddisfatto/a?',
        'Hoe tevreden bent u?',
        'Qual é o seu grau de satisfação?',
      ),
      description: t(
        'This takes about two minutes. Your answers help us to improve.',
        'Das dauert etwa zwei Minuten. Ihre Antworten helfen uns, besser zu werden.',
        'Le llevará unos dos minutos. Sus respuestas nos ayudan a mejorar.',
        'Cela prend environ deux minutes. Vos réponses nous aident à nous améliorer.',
        'Richiede circa due minuti. Le sue risposte ci aiutano a migliorare.',
        'Dit duurt ongeveer twee minuten. Met uw antwoorden kunnen wij ons verbeteren.',
        'Demora cerca de dois minutos. As suas respostas ajudam-nos a melhorar.',
      ),
      form: [
        page(undefined, [
          single(
            'satisfaction',
            t(
              'Overall, how satisfied or dissatisfied are you with us?',
              'Wie zufrieden oder unzufrieden sind Sie insgesamt mit uns?',
              'En general, ¿qué tan satisfecho/a o insatisfecho/a está con nosotros?',
              'Dans l’ensemble, êtes-vous satisfait(e) ou insatisfait(e) de nos services ?',
              'Nel complesso, quanto è soddisfatto/a o insoddisfatto/a di noi?',
              'Hoe tevreden of ontevreden bent u over het geheel genomen over ons?',
              'De um modo geral, qual é o seu grau de satisfação ou insatisfação connosco?',
            ),
            SATISFACTION,
            { required: true },
          ),
          {
            idname: 'single-choice-grid',
            id: 'aspects',
            title: t(
              'How satisfied or dissatisfied are you with the following?',
              'Wie zufrieden oder unzufrieden sind Sie mit Folgendem?',
              '¿Qué tan satisfecho/a o insatisfecho/a está con lo siguiente?',
              'Êtes-vous satisfait(e) ou insatisfait(e) des points suivants ?',
              'Quanto è soddisfatto/a o insoddisfatto/a dei seguenti aspetti?',
              'Hoe tevreden of ontevreden bent u over het volgende?',
              'Qual é o seu grau de satisfação ou insatisfação com o seguinte?',
            ),
            choices: [
              ...SATISFACTION,
              t(
                'Does not apply',
                'Trifft nicht zu',
                'No procede',
                'Sans objet',
                'Non pertinente',
                'Niet van toepassing',
                'Não se aplica',
              ),
            ].map((label) => ({ label })),
            children: [
              t(
                'Quality of the product or service',
                'Qualität des Produkts oder der Leistung',
                'Calidad del producto o servicio',
                'Qualité du produit ou du service',
                'Qualità del prodotto o del servizio',
                'Kwaliteit van het product of de dienst',
                'Qualidade do produto ou serviço',
              ),
              t(
                'Value for money',
                'Preis-Leistungs-Verhältnis',
                'Relación calidad-precio',
                'Rapport qualité-prix',
                'Rapporto qualità-prezzo',
                'Prijs-kwaliteitverhouding',
                'Relação qualidade-preço',
              ),
              t('Speed', 'Schnelligkeit', 'Rapidez', 'Rapidité', 'Rapidità', 'Snelheid', 'Rapidez'),
              t(
                'Contact with our staff',
                'Kontakt mit unseren Mitarbeitenden',
                'Trato con nuestro personal',
                'Contact avec notre personnel',
                'Contatto con il nostro personale',
                'Contact met onze medewerkers',
                'Contacto com a nossa equipa',
              ),
            ].map((label) => ({ type: 'single', label })),
          },
        ]),
        page(undefined, [
          paragraph(
            'cause',
            t(
              'What were you dissatisfied with?',
              'Womit waren Sie unzufrieden?',
              '¿Con qué está insatisfecho/a?',
              'De quoi êtes-vous insatisfait(e) ?',
              'Di che cosa è insoddisfatto/a?',
              'Waarover bent u ontevreden?',
              'Com que está insatisfeito(a)?',
            ),
            {
              condition: isOneOf('satisfaction', [0, 1]),
            },
          ),
          paragraph(
            'improvement',
            t(
              'What is one thing that we could do better?',
              'Was könnten wir besser machen?',
              '¿Qué podríamos hacer mejor?',
              'Que pourrions-nous mieux faire ?',
              'Che cosa potremmo fare meglio?',
              'Wat zouden wij beter kunnen doen?',
              'O que poderíamos fazer melhor?',
            ),
          ),
          yesNo(
            'contact',
            t(
              'May we contact you about your answers?',
              'Dürfen wir Sie zu Ihren Antworten kontaktieren?',
              '¿Podemos ponernos en contacto con usted sobre sus respuestas?',
              'Pouvons-nous vous contacter au sujet de vos réponses ?',
              'Possiamo contattarla riguardo alle sue risposte?',
              'Mogen wij contact met u opnemen over uw antwoorden?',
              'Podemos contactá-lo(a) sobre as suas respostas?',
            ),
          ),
          contactEmail(is('contact', true)),
        ]),
      ],
    },
  },
  {
    id: 'net-promoter',
    name: 'Net Promoter Score',
    description: 'For regular surveys of customers. Asks how likely they are to recommend you, and why.',
    category: 'Customers',
    languages: ALL,
    structure: {
      title: t(
        'Would you recommend us?',
        'Würden Sie uns weiterempfehlen?',
        '¿Nos recomendaría?',
        'Nous recommanderiez-vous ?',
        'Ci consiglierebbe?',
        'Zou u ons aanbevelen?',
        'Recomendar-nos-ia?',
      ),
      form: [
        page(undefined, [
          likelihood(
            'recommendation',
            t(
              'How likely is it that you would recommend us to a friend or colleague?',
              'Wie wahrscheinlich ist es, dass Sie uns Freunden oder Kollegen weiterempfehlen?',
              '¿Qué probabilidad hay de que nos recomiende a un amigo o colega?',
              'Quelle est la probabilité que vous nous recommandiez à un proche ou à un collègue ?',
              'Quanto è probabile che ci consigli a un amico o a un collega?',
              'Hoe waarschijnlijk is het dat u ons aanbeveelt bij een vriend of collega?',
              'Qual é a probabilidade de nos recomendar a um amigo ou colega?',
            ),
            { required: true },
          ),
          paragraph(
            'reason',
            t(
              'What is the main reason for your score?',
              'Was ist der Hauptgrund für Ihre Bewertung?',
              '¿Cuál es el motivo principal de su puntuación?',
              'Quelle est la principale raison de votre note ?',
              'Qual è il motivo principale del suo punteggio?',
              'Wat is de belangrijkste reden voor uw score?',
              'Qual é o principal motivo da sua pontuação?',
            ),
          ),
          paragraph(
            'change',
            t(
              'What would we have to change to get a higher score from you?',
              'Was müssten wir ändern, damit Sie uns besser bewerten?',
              '¿Qué tendríamos que cambiar para obtener una puntuación más alta?',
              'Que devrions-nous changer pour obtenir une meilleure note ?',
              'Che cosa dovremmo cambiare per ottenere un punteggio più alto?',
              'Wat moeten wij veranderen om een hogere score te krijgen?',
              'O que teríamos de mudar para obter uma pontuação mais alta?',
            ),
            { condition: isBelow('recommendation', 9) },
          ),
        ]),
        page(undefined, [
          yesNo(
            'contact',
            t(
              'May we contact you about your answers?',
              'Dürfen wir Sie zu Ihren Antworten kontaktieren?',
              '¿Podemos ponernos en contacto con usted sobre sus respuestas?',
              'Pouvons-nous vous contacter au sujet de vos réponses ?',
              'Possiamo contattarla riguardo alle sue risposte?',
              'Mogen wij contact met u opnemen over uw antwoorden?',
              'Podemos contactá-lo(a) sobre as suas respostas?',
            ),
          ),
          contactEmail(is('contact', true)),
        ]),
      ],
    },
  },
]
