import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** Builds the string that a signed request signs. Needs only JDK 17 or later. */
public class CanonicalString {
  /** Returns five parts, separated by line feeds. Pass path and body exactly as you send them. */
  public static String of(String method, String path, String timestamp, String nonce, byte[] body) {
    return String.join("\n", method.toUpperCase(Locale.ROOT), path, timestamp, nonce, HexFormat.of().formatHex(sha256(body)));
  }

  static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException impossible) {
      throw new AssertionError("every JDK has SHA-256", impossible);
    }
  }

  private CanonicalString() {}
}
