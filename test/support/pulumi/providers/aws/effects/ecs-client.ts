import { ECSClient } from '@aws-sdk/client-ecs';

/** The emulator of the test, which the SDK finds by the standard variables. */
export const ecs = new ECSClient({});
