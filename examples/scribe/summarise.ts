/** Extractive summaries: the sentences whose words matter most in the text, in the order in which they stand there. */

const common = new Set(
  `a about after all also an and any are as at be because been but by can do does for from had has have he her his how
  if in into is it its itself more most never no not of off on one or other our she so some such than that the their them
  then there these they this those to two under up was were what when where which who whoever whole will with would you`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/\p{L}[\p{L}'’-]*/gu) ?? []).filter((word) => word.length > 2 && !common.has(word));
}

/** The sentences of a text, without line breaks. */
export function sentencesOf(text: string): string[] {
  return text
    .split(/\n\s*\n/)
    .flatMap(
      (paragraph) =>
        paragraph
          .replace(/\s+/g, " ")
          .trim()
          .match(/[^.!?]+[.!?]+(?=\s|$)|[^.!?]+$/g) ?? [],
    )
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

/** The `count` most telling sentences of a text. */
export function summarise(text: string, count: number): string[] {
  const frequency = new Map<string, number>();
  for (const word of wordsOf(text)) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const scored = sentencesOf(text).map((sentence, index) => {
    const words = wordsOf(sentence);
    const weight = words.reduce((sum, word) => sum + (frequency.get(word) ?? 0), 0);
    // Long sentences would win by their length alone; the first of a text mostly says what it is about.
    return { sentence, index, score: (weight / Math.sqrt(words.length + 1)) * (index === 0 ? 1.2 : 1) };
  });
  return scored
    .sort((one, other) => other.score - one.score)
    .slice(0, count)
    .sort((one, other) => one.index - other.index)
    .map(({ sentence }) => sentence);
}
