/** Does it, and is content when what it is done to is not there any more. */
export async function unlessGone(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Error && 'statusCode' in error && error.statusCode === 404)) throw error;
  }
}
