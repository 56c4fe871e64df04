package boilersweep;

import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Reads the hits of many queries in one call. */
public final class Hits {
  private Hits() {}

  /**
   * Return each query's number of hits; of each hit its docid's length and its score; all docids.
   *
   * <p>Numbers are little-endian, of four bytes each; docids are one text in UTF-8.
   *
   * @param found arrays of Anserini's ScoredDoc by query
   */
  public static byte[] read(Map<String, Object[]> found, List<String> queries)
      throws ReflectiveOperationException {
    int hits = found.values().stream().mapToInt(here -> here.length).sum();
    ByteBuffer numbers = ByteBuffer.allocate(4 * queries.size() + 8 * hits);
    numbers.order(ByteOrder.LITTLE_ENDIAN);
    queries.forEach(query -> numbers.putInt(found.containsKey(query) ? found.get(query).length : 0));
    StringBuilder docids = new StringBuilder();
    for (Object[] here : queries.stream().map(found::get).filter(Objects::nonNull).toList()) {
      Field docid = here.getClass().getComponentType().getField("docid");
      Field score = here.getClass().getComponentType().getField("score");
      for (Object hit : here) {
        String text = (String) docid.get(hit);
        docids.append(text);
        numbers.putInt(text.codePointCount(0, text.length())).putFloat(score.getFloat(hit));
      }
    }
    byte[] text = docids.toString().getBytes(StandardCharsets.UTF_8);
    ByteBuffer out = ByteBuffer.allocate(numbers.position() + text.length);
    return out.put(numbers.flip()).put(text).array();
  }
}
